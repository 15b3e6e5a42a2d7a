# False-positive rate against the cost of a lookup, one panel a footprint.
title = "False-positive rate against the cost of a lookup"
legend = "Batches of absent keys, 95 % interval; rates predicted (leveldb: up to 2^20 keys). Grey: the front, which no design beats in both. Of its designs the names tell the bits a key."
places = "L1 L2 L3 DRAM"
seen = ""
shown = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(3))) nooutput
do for [i=1:4] {
    shown = shown.(strstrt(" ".seen." ", " ".word(places, i)." ") ? word(places, i)." " : "")
}
stats data skip 1 using 8 name "T" nooutput
stats data skip 1 using (100 * $11) name "F" nooutput
row(kind) = strcol(2) eq kind && strcol(3) eq place_name
of(name) = row("design") && strcol(1) eq name
# Of each footprint the fastest and the most exact of the front.
place_name = word(shown, 1)
fastest = ""
stats data skip 1 using (row("front") && fastest eq "" ? (fastest = strcol(1), fastest_ns = $8, fastest_fpr = 100 * $11, 0) : 0) nooutput
stats data skip 1 using (row("front") ? (exactest = strcol(1), exactest_ns = $8, exactest_fpr = 100 * $11, 0) : 0) nooutput
see = sprintf("Lower left is better: fewer false positives in less time. In %s from %s (%.2g ns, %.2g %%) to %s (%.2g ns, %.2g %%)", \
    place_name, short(fastest), fastest_ns, fastest_fpr, short(exactest), exactest_ns, exactest_fpr)
columns = words(shown) < 2 ? 1 : 2
rows = (words(shown) + columns - 1) / columns
left = 100
panel_width = columns < 2 ? 620 : 420
panel_height = words(names) * 18 > 320 ? words(names) * 18 : 320
room = 330
width = atleast(left + columns * (panel_width + room) + (columns - 1) * 40)
height = head + rows * (panel_height + 70)
eval open
set multiplot
eval heading
x_low = T_min / 1.4
x_high = T_max * 1.4
y_low = F_min / 1.5
y_high = F_max * 1.5
axes = "set logscale xy; set xrange [x_low:x_high]; set yrange [y_low:y_high]"
set xtics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
set ytics (1e-6, 1e-5, 1e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set xlabel "ns a lookup" offset 0,0.4
array beside_x[words(names)]
array beside_y[words(names)]
array beside_text[words(names)]
array beside_colour[words(names)]
array beside_point[words(names)]
array beside_dash[words(names)]
do for [p=1:words(shown)] {
    place_name = word(shown, p)
    n_beside = 0
    do for [i=1:words(names)] {
        name = word(names, i)
        # A line leads to the most exact of a design's points.
        ns = 0
        rate = 1e3
        bits = ""
        stats data skip 1 using (of(name) && 100 * $11 < rate ? (ns = $8, rate = 100 * $11, 0) : 0) nooutput
        stats data skip 1 using (row("front") && strcol(1) eq name ? (bits = bits.sprintf("%s %.3g", strlen(bits) ? "," : ":", $7), 0) : 0) nooutput
        if (ns > 0) {
            n_beside = n_beside + 1
            beside_x[n_beside] = on_log(ns, x_low, x_high)
            beside_y[n_beside] = on_log(rate, y_low, y_high)
            beside_text[n_beside] = short(name).bits
            beside_colour[n_beside] = colour_of(name)
            beside_point[n_beside] = point_of(name)
            beside_dash[n_beside] = dash_of(name)
        }
    }
    at_left = left + ((p - 1) % columns) * (panel_width + room + 40)
    at_top = head + ((p - 1) / columns) * (panel_height + 70)
    set lmargin at screen 1.*at_left/width
    set rmargin at screen 1.*(at_left + panel_width)/width
    set tmargin at screen 1-1.*at_top/height
    set bmargin at screen 1-1.*(at_top + panel_height)/height
    set label 3 place_name at graph 0.97,0.95 right font ",15" textcolor rgb ink
    set format y ((p - 1) % columns ? "" : "%g %%")
    load scripts."/beside.gp"
    eval axes
    plot data skip 1 using (row("front") ? $8 : NaN):(100 * $11) \
            with steps linecolor rgb "#b8b8b8" linewidth 2.5, \
        for [i=1:words(names)] data skip 1 \
            using (of(word(names, i)) ? $8 : NaN):(100 * $11) \
            with lines linecolor rgb colour_of(word(names, i)) linewidth 1 dashtype dash_of(word(names, i)), \
        for [i=1:words(names)] data skip 1 \
            using (of(word(names, i)) ? $8 : NaN):(100 * $11):9:10 \
            with xerrorbars linecolor rgb colour_of(word(names, i)) pointtype point_of(word(names, i)) \
            pointsize 0.9 linewidth 0.8
    eval unbeside
    eval plain
    eval headed
}
