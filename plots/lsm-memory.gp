# Reads of a query against the memory of the filters, every design and every split of it over levels
# as a line in one panel; of more lines than can be told apart a panel a split.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(2))) nooutput
splits = seen
stats data skip 1 using 8 name "A" nooutput
title = "Reads of a query against the memory of the filters"
stats data skip 1 using ($4 > 0 ? 1 : 0) name "P" nooutput
if (P_max > 0) {
    stats data skip 1 using ($4 > 0 ? $4 : NaN) name "R" nooutput
} else {
    R_min = 1e-3
    R_max = 1
}
stats data skip 1 using 3 name "B" nooutput
# A logarithmic axis has no 0: none is drawn at its floor.
floor_of = R_min / 2.5
reads(x) = x > floor_of ? x : floor_of
zeros = P_min > 0 ? "" : " At the floor: none counted."
legend = sprintf("%.3g %% of the keys absent. Bars: 95 %% interval. Grey: by formula.%s", 100 * A_max, zeros)
# Shades for the splits of a single design; dashes where the designs have the colours.
known = "uniform monkey optimal drop-last -"
split_of(name) = (sum [i=1:words(known)] (word(known, i) eq name ? i : 0))
shades = "#8a8a8a #e69f00 #0072b2 #cc79a7 #222222"
alone = words(names) < 2
line_colour(name, split) = alone && words(splits) > 1 && split_of(split) ? rgb(word(shades, split_of(split))) : colour_of(name)
line_dash(name, split) = words(splits) > 1 && split_of(split) ? split_of(split) : dash_of(name)
line_point(name, split) = alone && words(splits) > 1 && split_of(split) ? int(word("5 9 7 13 6", split_of(split))) : point_of(name)
together = words(names) * words(splits) <= 16
panels = together ? 1 : words(splits)
columns = panels < 2 ? 1 : 2
rows = (panels + columns - 1) / columns
# Room for the names beside each panel.
room = words(splits) > 1 && together ? 350 : 285
left = 110
panel_width = columns < 2 ? 660 : 480
most_lines = together ? words(names) * words(splits) : words(names)
panel_height = most_lines * 18 > 380 ? most_lines * 18 : 380
width = atleast(left + columns * (panel_width + room) + (columns - 1) * 40)
height = head + rows * (panel_height + 80)
of(name, split) = strcol(1) eq name && strcol(2) eq split
eval forget
stats data skip 1 using (tell(short(strcol(1)).(words(splits) > 1 ? " ".strcol(2) : ""), $4)) nooutput
bits_of_least = 0
stats data skip 1 using ($4 == least && bits_of_least == 0 ? (bits_of_least = $3, 0) : 0) nooutput
see = sprintf("Lower left is better: fewer reads, less memory. Fewest: %.3g a query, %s with %.3g bits a key", least, least_of, bits_of_least)
eval open
set multiplot
eval heading
around = B_max > B_min ? 0.05 * (B_max - B_min) : 1
axes = "set logscale y; set xrange [B_min - around:B_max + around]; set yrange [floor_of / 1.2:R_max * 1.8]"
set ytics (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100)
if (log10(R_max / R_min) < 3) {
    set ytics add (2e-6, 5e-6, 2e-5, 5e-5, 2e-4, 5e-4, 2e-3, 5e-3, 0.02, 0.05, 0.2, 0.5, 2, 5, 20, 50)
}
set format y "%g"
set xlabel "bits a key, over all levels" offset 0,0.4
do for [p=1:panels] {
    shown = together ? splits : word(splits, p)
    n_beside = 0
    array beside_x[most_lines]
    array beside_y[most_lines]
    array beside_text[most_lines]
    array beside_colour[most_lines]
    array beside_point[most_lines]
    array beside_dash[most_lines]
    do for [i=1:words(names)] {
        do for [j=1:words(shown)] {
            name = word(names, i)
            split = word(shown, j)
            last = NaN
            stats data skip 1 using (of(name, split) ? (last = $3, io = $4, 0) : 0) nooutput
            if (last == last) {
                n_beside = n_beside + 1
                beside_x[n_beside] = on_linear(last, B_min - around, B_max + around)
                beside_y[n_beside] = on_log(reads(io), floor_of / 1.2, R_max * 1.8)
                beside_text[n_beside] = short(name).(words(splits) > 1 && together ? " ".split : "").sprintf(", %.3g", io)
                beside_colour[n_beside] = line_colour(name, split)
                beside_point[n_beside] = line_point(name, split)
                beside_dash[n_beside] = line_dash(name, split)
            }
        }
    }
    at_left = left + ((p - 1) % columns) * (panel_width + room + 40)
    at_top = head + ((p - 1) / columns) * (panel_height + 80)
    set lmargin at screen 1.*at_left/width
    set rmargin at screen 1.*(at_left + panel_width)/width
    set tmargin at screen 1-1.*at_top/height
    set bmargin at screen 1-1.*(at_top + panel_height)/height
    set ylabel ((p - 1) % columns ? "" : "reads from the device, per query")
    set label 3 (panels > 1 ? "memory split: ".word(splits, p) : "") at graph 0.97,0.95 right font ",14" textcolor rgb ink noenhanced
    load scripts."/beside.gp"
    eval axes
    plot for [i=1:words(names)] for [j=1:words(shown)] data skip 1 \
            using (of(word(names, i), word(shown, j)) ? $3 : NaN):(reads($7)) \
            with lines linecolor rgb "#d0d0d0" linewidth 3, \
        for [i=1:words(names)] for [j=1:words(shown)] data skip 1 \
            using (of(word(names, i), word(shown, j)) ? $3 : NaN):(reads($4)) with lines linewidth 1.4 \
            linecolor rgb line_colour(word(names, i), word(shown, j)) dashtype line_dash(word(names, i), word(shown, j)), \
        for [i=1:words(names)] for [j=1:words(shown)] data skip 1 \
            using (of(word(names, i), word(shown, j)) ? $3 : NaN):(reads($4)):(reads($5)):(reads($6)) \
            with yerrorbars pointsize 0.9 linewidth 0.8 pointtype line_point(word(names, i), word(shown, j)) \
            linecolor rgb line_colour(word(names, i), word(shown, j))
    eval unbeside
    eval plain
    eval headed
}
