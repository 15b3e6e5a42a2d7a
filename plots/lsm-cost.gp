# What a query costs against the share of absent keys, with each design's fastest lookup: above, all
# designs without the reads of data; below, a panel a design, stacked.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
device = ""
stats data skip 1 using (device = strcol(11), 0) nooutput
stats data skip 1 using ($4 + $6 + $7) name "E" nooutput
stats data skip 1 using 8 name "C" nooutput
stats data skip 1 using 3 name "A" nooutput
title = "Cost of a query against the share of absent keys"
legend = sprintf("Above: without the reads of data that a query must make. Below: all, stacked, with 95 %% intervals. Reads as on device '%s'; bits of filters per key.", device)
eval forget
stats data skip 1 using ($3 == A_max ? tell(strcol(1), $8) : 0) nooutput
share = sprintf("Lower is better. With %.3g %% of the keys absent a query costs ", 100 * A_max)
see = share.(least == most ? duration(least) : sprintf("%s (%s) to %s (%s)", duration(least), short(least_of), duration(most), short(most_of)))
parts = "wasted~reads~for~false~positives reads~of~indexes~and~filters reads~of~data CPU"
shades = "#d55e00 #e69f00 #bdd7e7 #08519c"
unit_of(ns) = ns < 2e3 ? 1 : ns < 2e6 ? 1e3 : ns < 2e9 ? 1e6 : 1e9
name_of(unit) = unit < 1e3 ? "%g ns" : unit < 1e6 ? "%g us" : unit < 1e9 ? "%g ms" : "%g s"
columns = words(names) < 4 ? words(names) : 4
rows = (words(names) + columns - 1) / columns
left = 100
width = atleast(520 + 280 * columns)
panel_width = width - left - 400
panel_height = words(names) * 18 > 300 ? words(names) * 18 : 300
cell_height = 240
height = head + panel_height + 70 + rows * cell_height + 65
eval open
set multiplot
eval heading
of(name) = strcol(1) eq name

shares = A_max - A_min
step = shares > 0.5 ? 0.2 : shares > 0.2 ? 0.1 : shares / 2
set xtics step
unit = 1. * unit_of(E_max)
top = E_max > 0 ? 1.12 * E_max / unit : 1
set lmargin at screen 1.*left/width
set rmargin at screen 1.*(left + panel_width)/width
set tmargin at screen 1-1.*head/height
set bmargin at screen 1-1.*(head + panel_height)/height
set xrange [A_min:A_max]
set yrange [0:top]
set format y name_of(unit)
set xlabel "share of absent keys" offset 0,0.4
n_beside = words(names)
array beside_x[n_beside]
array beside_y[n_beside]
array beside_text[n_beside]
array beside_colour[n_beside]
array beside_point[n_beside]
array beside_dash[n_beside]
do for [i=1:n_beside] {
    name = word(names, i)
    beside_colour[i] = colour_of(name)
    beside_point[i] = point_of(name)
    beside_dash[i] = dash_of(name)
    end = 0
    stats data skip 1 using (of(name) ? (end = $4 + $6 + $7, last = $3, bits = $12, 0) : 0) nooutput
    beside_x[i] = on_linear(last, A_min, A_max)
    beside_y[i] = on_linear(end / unit, 0, top)
    beside_text[i] = sprintf("%s, %s, %.3g bits", short(name), duration(end), bits)
}
load scripts."/beside.gp"
plot for [i=1:words(names)] data skip 1 using (of(word(names, i)) ? $3 : NaN):(($4 + $6 + $7) / unit) \
        with linespoints linecolor rgb colour_of(word(names, i)) dashtype dash_of(word(names, i)) \
        pointtype point_of(word(names, i)) pointsize 0.9 linewidth 1.4
eval unbeside
eval headed

spaced(text) = strstrt(text, "~") ? spaced(text[1:strstrt(text, "~")-1]." ".text[strstrt(text, "~")+1:*]) : text
unit = 1. * unit_of(C_max)
set yrange [0:C_max > 0 ? 1.15 * C_max / unit : 1]
below(row) = head + panel_height + 70 + row * cell_height
do for [i=1:4] {
    set label 100+i spaced(word(parts, i)) at screen 1-370./width,1-(below(0) + 12. + 24*(i - 1))/height left \
        point pointtype 5 pointsize 1.2 linecolor rgb rgb(word(shades, i)) offset 1,0 textcolor rgb ink
}
# From the bottom: CPU, data, indexes and filters, wasted.
do for [i=1:words(names)] {
    name = word(names, i)
    row = (i - 1) / columns
    cell_width = (panel_width + 36.) / columns
    at_left = left + ((i - 1) % columns) * cell_width
    set lmargin at screen at_left/width
    set rmargin at screen (at_left + cell_width - 36)/width
    set tmargin at screen 1-1.*below(row)/height
    set bmargin at screen 1-(below(row) + cell_height - 30.)/height
    bottom = i + columns > words(names)
    set format y ((i - 1) % columns ? "" : name_of(unit))
    set format x (bottom ? "%g" : "")
    set xlabel (bottom ? "share of absent keys" : "") offset 0,0.4
    set label 3 short(name) at graph 0.97,0.93 right font ",14" textcolor rgb ink noenhanced front
    plot data skip 1 using (of(name) ? $3 : NaN):(0):($4 / unit) \
            with filledcurves fillcolor rgb rgb(word(shades, 4)), \
        data skip 1 using (of(name) ? $3 : NaN):($4 / unit):(($4 + $5) / unit) \
            with filledcurves fillcolor rgb rgb(word(shades, 3)), \
        data skip 1 using (of(name) ? $3 : NaN):(($4 + $5) / unit):(($4 + $5 + $7) / unit) \
            with filledcurves fillcolor rgb rgb(word(shades, 2)), \
        data skip 1 using (of(name) ? $3 : NaN):(($4 + $5 + $7) / unit):($8 / unit) \
            with filledcurves fillcolor rgb rgb(word(shades, 1)), \
        data skip 1 using (of(name) ? $3 : NaN):($8 / unit):($9 / unit):($10 / unit) \
            with yerrorbars pointtype 7 pointsize 0.3 linecolor rgb ink linewidth 0.8
    do for [j=1:4] { unset label 100+j }
}
