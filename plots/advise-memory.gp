# What a query costs against the memory of the filters: a line for each setting of the engine, the
# setting to use, today's, and what cannot be told from the first.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
stats data skip 1 using 3 name "B" nooutput
stats data skip 1 using 4 name "C" nooutput
of(name) = strcol(1) eq name
is(role) = strcol(5) eq role
design_of(name) = strstrt(name, ":") ? name[1:strstrt(name, ":") - 1].result_of(name) : name
split_of(name) = strstrt(name, ":") ? base(name[strstrt(name, ":") + 1:*]) : ""
dash_for(name) = split_of(name) eq "drop-last" ? 3 : split_of(name) eq "optimal" ? 2 : dash_of(design_of(name))
see = ""
stats data skip 1 using (is("pick") ? (see = "Lower left is better. ".strcol(8), 0) : 0) nooutput
title = "Cost of a query against the memory of the filters"
has_today = 0
stats data skip 1 using (is("today") ? (has_today = 1, 0) : 0) nooutput
legend = "A line for each setting, by its bits per key. Filled: the setting to use.".(has_today ? " Ring: today's." : "")." Bars: 95 % intervals of what was measured."
left = 110
room = 340
panel_width = 660
panel_height = words(names) * 18 > 400 ? words(names) * 18 : 400
width = atleast(left + panel_width + room)
height = head + panel_height + 80
eval open
eval heading
unit = B_max < 2e6 ? 1e3 : 1e6
low = C_min / 1.15
high = C_max * 1.15
right = 1.04 * B_max / unit
n_beside = 0
array beside_x[words(names)]
array beside_y[words(names)]
array beside_text[words(names)]
array beside_colour[words(names)]
array beside_point[words(names)]
array beside_dash[words(names)]
do for [i=1:words(names)] {
    name = word(names, i)
    last = NaN
    stats data skip 1 using (of(name) ? (last = $3, cost = $4, 0) : 0) nooutput
    n_beside = n_beside + 1
    beside_x[n_beside] = on_linear(last / unit, 0, right)
    beside_y[n_beside] = on_log(cost, low, high)
    beside_text[n_beside] = short(design_of(name))." ".split_of(name)
    beside_colour[n_beside] = colour_of(design_of(name))
    beside_point[n_beside] = point_of(design_of(name))
    beside_dash[n_beside] = dash_for(name)
}
set lmargin at screen 1.*left/width
set rmargin at screen 1.*(left + panel_width)/width
set tmargin at screen 1-1.*head/height
set bmargin at screen 1-1.*(head + panel_height)/height
set xlabel (unit > 1e3 ? "MB of filters" : "kB of filters") offset 0,0.4
set ylabel "us per query"
set format y "%g"
load scripts."/beside.gp"
set datafile missing NaN # rows of other settings stand between those of one
set logscale y
set xrange [0:right]
set yrange [low:high]
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5)
plot for [i=1:words(names)] data skip 1 using (of(word(names, i)) ? $3 / unit : NaN):4 \
        with linespoints linewidth 1.2 pointsize 0.4 pointtype point_of(design_of(word(names, i))) \
        linecolor rgb colour_of(design_of(word(names, i))) dashtype dash_for(word(names, i)), \
    data skip 1 using (is("-") ? NaN : $3 / unit):4:6:7 with yerrorbars pointtype 0 linecolor rgb ink, \
    data skip 1 using (is("pick") || is("today") ? $3 / unit : NaN):4:(is("pick") ? 1.4 : 1.8):(is("pick") ? 7 : 6) \
        with points pointsize variable pointtype variable linewidth 1.5 linecolor rgb ink
