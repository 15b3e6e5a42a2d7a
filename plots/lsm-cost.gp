# What a query costs against the share of absent keys, stacked: a panel a design, its fastest lookup.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(11))) nooutput
title = "Cost of a query against the share of absent keys"
legend = sprintf("Stacked; a read as on device '%s'. Bars: 95 %% interval of the whole.", word(seen, 1))
parts = "wasted~reads~for~false~positives reads~of~indexes~and~filters reads~of~data CPU"
shades = "#d55e00 #e69f00 #bdd7e7 #08519c"
stats data skip 1 using (1e-3 * $8) name "C" nooutput
stats data skip 1 using 3 name "A" nooutput
columns = words(names) < 4 ? words(names) : 4
rows = (words(names) + columns - 1) / columns
left = 100
width = 440 + 280 * columns > 1060 ? 440 + 280 * columns : 1060
height = 170 + 240 * rows
eval open
set xrange [A_min:A_max]
set yrange [0:C_max * 1.15]
spaced(text) = strstrt(text, "~") ? spaced(text[1:strstrt(text, "~")-1]." ".text[strstrt(text, "~")+1:*]) : text
do for [i=1:4] {
    set label 100+i spaced(word(parts, i)) at screen 1-305./width,1-(110.+24*i)/height left \
        point pointtype 5 pointsize 1.2 linecolor rgb rgb(word(shades, i)) offset 1,0 textcolor rgb ink
}
set multiplot layout rows,columns margins 1.*left/width,1-335./width,65./height,1-90./height \
    spacing 36./width,30./height
eval heading
of(name) = strcol(1) eq name
# From the bottom: CPU, data, indexes and filters, wasted.
do for [i=1:words(names)] {
    name = word(names, i)
    bottom = i + columns > words(names)
    set format y ((i - 1) % columns ? "" : "%g us")
    set format x (bottom ? "%g" : "")
    set xlabel (bottom ? "share of absent keys" : "") offset 0,0.4
    set label 3 name at graph 0.03,0.93 left font ",15" textcolor rgb colour_of(name) noenhanced front
    plot data skip 1 using (of(name) ? $3 : NaN):(0):(1e-3 * $4) \
            with filledcurves fillcolor rgb rgb(word(shades, 4)), \
        data skip 1 using (of(name) ? $3 : NaN):(1e-3 * $4):(1e-3 * ($4 + $5)) \
            with filledcurves fillcolor rgb rgb(word(shades, 3)), \
        data skip 1 using (of(name) ? $3 : NaN):(1e-3 * ($4 + $5)):(1e-3 * ($4 + $5 + $7)) \
            with filledcurves fillcolor rgb rgb(word(shades, 2)), \
        data skip 1 using (of(name) ? $3 : NaN):(1e-3 * ($4 + $5 + $7)):(1e-3 * $8) \
            with filledcurves fillcolor rgb rgb(word(shades, 1)), \
        data skip 1 using (of(name) ? $3 : NaN):(1e-3 * $8):(1e-3 * $9):(1e-3 * $10) \
            with yerrorbars pointtype 7 pointsize 0.3 linecolor rgb ink linewidth 0.8
    unset label 1
    unset label 2
    do for [j=1:4] { unset label 100+j }
}
