# Two costs of designs, one panel a footprint, with the front of each: what cost-fpr.gp, pareto.gp
# and build-cost.gp share. They say title, legend, scale (of the second cost, column 11), y_is_log,
# y_format, x_name, y_tics where the usual ones are too few, tells_tries where column 12 has the attempts at a build, and `said`, which makes
# `see` of the fastest and the best of the front.
places = "L1 L2 L3 DRAM"
seen = ""
shown = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
results_seen = ""
do for [name in names] {
    results_seen = results_seen.(strstrt(results_seen." ", " -".result_of(name)." ") ? "" : " -".result_of(name))
}
seen = ""
stats data skip 1 using (note(strcol(3))) nooutput
do for [i=1:4] {
    shown = shown.(strstrt(" ".seen." ", " ".word(places, i)." ") ? word(places, i)." " : "")
}
stats data skip 1 using 8 name "T" nooutput
stats data skip 1 using (scale * $11) name "F" nooutput
row(kind) = strcol(2) eq kind && strcol(3) eq place_name
of(name) = row("design") && strcol(1) eq name
# Of each footprint the fastest and the most exact of the front.
place_name = word(shown, 1)
fastest = ""
stats data skip 1 using (row("front") && fastest eq "" ? (fastest = strcol(1), fastest_ns = $8, fastest_value = scale * $11, 0) : 0) nooutput
stats data skip 1 using (row("front") ? (exactest = strcol(1), exactest_ns = $8, exactest_value = scale * $11, 0) : 0) nooutput
eval said
columns = words(shown) < 2 ? 1 : 2
rows = (words(shown) + columns - 1) / columns
left = 100
panel_width = columns < 2 ? 620 : 420
panel_height = words(names) * 18 > 320 ? words(names) * 18 : 320
room = 330
width = atleast(left + columns * (panel_width + room) + (columns - 1) * 40)
above = 28 # a panel its name, under the heading
height = head + rows * (panel_height + 70 + above)
eval open
set multiplot
eval heading
x_low = T_min / 1.4
x_high = T_max * 1.4
y_low = y_is_log ? F_min / 1.5 : F_min - 0.05 * (F_max - F_min) - 0.01
y_high = y_is_log ? F_max * 1.5 : F_max + 0.05 * (F_max - F_min) + 0.01
axes = "set logscale x; ".(y_is_log ? "set logscale y; " : "")."set xrange [x_low:x_high]; set yrange [y_low:y_high]"
set xtics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
set ytics autofreq
if (y_is_log) { set ytics (1e-6, 1e-5, 1e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) }
if (exists("y_tics")) { eval y_tics }
set xlabel x_name offset 0,0.4
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
        rate = 1e9
        bits = ""
        tries = 1
        stats data skip 1 using (of(name) && scale * $11 < rate ? (ns = $8, rate = scale * $11, 0) : 0) nooutput
        stats data skip 1 using (row("front") && strcol(1) eq name ? (bits = bits.sprintf("%s %.3g", strlen(bits) ? "," : ":", $7), 0) : 0) nooutput
        if (exists("tells_tries")) { stats data skip 1 using (of(name) && $12 > tries ? (tries = $12, 0) : 0) nooutput }
        if (ns > 0) {
            n_beside = n_beside + 1
            beside_x[n_beside] = on_log(ns, x_low, x_high)
            beside_y[n_beside] = y_is_log ? on_log(rate, y_low, y_high) : (rate - y_low) / (y_high - y_low)
            beside_text[n_beside] = short(name).bits.(tries > 1 ? sprintf(" x%d", tries) : "")
            beside_colour[n_beside] = colour_of(name)
            beside_point[n_beside] = point_of(name)
            beside_dash[n_beside] = dash_of(name)
        }
    }
    at_left = left + ((p - 1) % columns) * (panel_width + room + 40)
    at_top = head + above + ((p - 1) / columns) * (panel_height + 70 + above)
    set lmargin at screen 1.*at_left/width
    set rmargin at screen 1.*(at_left + panel_width)/width
    set tmargin at screen 1-1.*at_top/height
    set bmargin at screen 1-1.*(at_top + panel_height)/height
    set label 3 place_name at graph 0,1 left offset 0,0.7 font ",15" textcolor rgb ink
    set format y ((p - 1) % columns ? "" : y_format)
    load scripts."/beside.gp"
    eval axes
    plot for [result in results_seen] data skip 1 using (row("front") && "-".result_of(strcol(1)) eq result ? $8 : NaN):(scale * $11) \
            with steps linecolor rgb "#b8b8b8" linewidth 2.5, \
        for [i=1:words(names)] data skip 1 \
            using (of(word(names, i)) ? $8 : NaN):(scale * $11) \
            with lines linecolor rgb colour_of(word(names, i)) linewidth 1 dashtype dash_of(word(names, i)), \
        for [i=1:words(names)] data skip 1 \
            using (of(word(names, i)) ? $8 : NaN):(scale * $11):9:10 \
            with xerrorbars linecolor rgb colour_of(word(names, i)) pointtype point_of(word(names, i)) \
            pointsize 0.9 linewidth 0.8
    eval unbeside
    eval plain
    eval headed
}
