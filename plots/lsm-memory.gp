# Reads of a query against the memory of the filters, one line a split of it over levels: a panel a
# design.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(2))) nooutput
splits = seen
stats data skip 1 using 8 name "A" nooutput
title = "Reads of a query against the memory of the filters"
legend = sprintf("Reads from the device per query, %.3g %% of the keys absent. Bars: 95 %% interval. Grey: by formula.", 100 * A_max)
stats data skip 1 using 4 name "R" nooutput
stats data skip 1 using 3 name "B" nooutput
known = "uniform monkey optimal drop-last"
shades = "#8a8a8a #e69f00 #0072b2 #cc79a7"
split_of(name) = (sum [i=1:words(known)] (word(known, i) eq name ? i : 0))
shade(name) = split_of(name) ? rgb(word(shades, split_of(name))) : rgb(other)
columns = words(names) < 4 ? words(names) : 4
rows = (words(names) + columns - 1) / columns
left = 100
width = 260 + 300 * columns > 1060 ? 260 + 300 * columns : 1060
height = 170 + 250 * rows
eval open
set logscale y
set xrange [B_min - 0.05 * (B_max - B_min):B_max + 0.05 * (B_max - B_min)]
set yrange [R_min / 1.6:R_max * 1.8]
set ytics (1e-6, 1e-5, 1e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
do for [i=1:words(splits)] {
    set label 100+i word(splits, i) at screen 1-130./width,1-(110.+24*i)/height left \
        point pointtype 7 pointsize 1 linecolor rgb shade(word(splits, i)) offset 1,0 \
        textcolor rgb shade(word(splits, i)) noenhanced
}
set multiplot layout rows,columns margins 1.*left/width,1-155./width,65./height,1-90./height \
    spacing 30./width,30./height
eval heading
of(split) = strcol(1) eq name && strcol(2) eq split
do for [i=1:words(names)] {
    name = word(names, i)
    bottom = i + columns > words(names)
    set format y ((i - 1) % columns ? "" : "%g")
    set format x (bottom ? "%g" : "")
    set xlabel (bottom ? "bits a key, over all levels" : "") offset 0,0.4
    set label 3 name at graph 0.97,0.93 right font ",15" textcolor rgb colour_of(name) noenhanced
    plot for [j=1:words(splits)] data skip 1 using (of(word(splits, j)) ? $3 : NaN):7 \
            with lines linecolor rgb "#d0d0d0" linewidth 3, \
        for [j=1:words(splits)] data skip 1 using (of(word(splits, j)) ? $3 : NaN):4 \
            with lines linecolor rgb shade(word(splits, j)) linewidth 1.4, \
        for [j=1:words(splits)] data skip 1 using (of(word(splits, j)) ? $3 : NaN):4:5:6 \
            with yerrorbars pointtype 7 pointsize 0.5 linecolor rgb shade(word(splits, j)) linewidth 1
    unset label 1
    unset label 2
    do for [j=1:words(splits)] { unset label 100+j }
}
