# How long single lookups take, beside the empty timer: the share that takes longer, a panel a
# footprint.
title = "Single lookups of absent keys, timed one by one"
legend = "Share of lookups that take longer. Grey: the empty timer, which every lookup contains; what does not leave it is not resolved."
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(2))) nooutput
places = seen
is_kind(kind) = strcol(3) eq kind
is_yardstick(name) = name[1:6] eq "touch-" || name eq "fetch"
# In the first footprint: the time that half of the lookups of a design take at most.
eval forget
before = ""
stats data skip 1 using (is_kind("single_op_gross") && strcol(2) eq word(places, 1) && !is_yardstick(strcol(1)) ? \
    (key = strcol(1), $5 <= 0.5 && before ne key ? (before = key, tell(short(key), $4)) : 0) : 0) nooutput
see = "Further left is faster.".(most < 0 ? "" : least == most ? sprintf(" In %s half of the lookups take up to %.3g ns", word(places, 1), least) : \
    sprintf(" In %s half of the lookups take up to %.3g ns (%s) ... %.3g ns (%s)", word(places, 1), least, least_of, most, most_of))
stats data skip 1 using ($5 > 5e-4 ? $4 : NaN) name "X" nooutput
columns = words(places) < 2 ? 1 : 2
rows = (words(places) + columns - 1) / columns
left = 100
width = atleast(360 + 480 * columns)
height = head + (70 + 300 * rows > 50 + 22 * words(names) ? 70 + 300 * rows : 50 + 22 * words(names))
eval open
set logscale xy
set xrange [X_min / 1.2:X_max * 1.2]
set yrange [5e-4:1.3]
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 1e5)
blank = 'set ytics ("" 1, "" 0.5, "" 0.1, "" 0.01, "" 0.001)'
named = 'set ytics ("all" 1, "1/2" 0.5, "10 %%" 0.1, "1 %%" 0.01, "0.1 %%" 0.001)'
set multiplot layout rows,columns margins 1.*left/width,1-260./width,65./height,1-1.*head/height \
    spacing 30./width,50./height
eval heading
colour(name) = is_yardstick(name) ? rgb(quiet) : colour_of(name)
dash(name) = is_yardstick(name) ? 3 : dash_of(name)
do for [i=1:words(names)] {
    set label 100+i short(word(names, i)) at screen 1-200./width,1-(head + 15.+22*i)/height left textcolor rgb ink noenhanced
    set arrow 100+i from screen 1-235./width,1-(head + 15.+22*i)/height to screen 1-207./width,1-(head + 15.+22*i)/height \
        nohead linecolor rgb colour(word(names, i)) dashtype dash(word(names, i)) linewidth 2
}
of(name, kind) = strcol(1) eq name && strcol(2) eq place_name && is_kind(kind)
do for [p=1:words(places)] {
    place_name = word(places, p)
    eval ((p - 1) % columns ? blank : named)
    set label 3 place_name at graph 0.97,0.93 right font ",15" textcolor rgb ink
    set xlabel (p + columns > words(places) ? "ns a lookup, the clock reads included" : "")
    plot for [i=1:words(names)] data skip 1 using (of(word(names, i), "timer_empty") ? $4 : NaN):5 \
            with steps linecolor rgb "#c0c0c0" linewidth 3, \
        for [i=1:words(names)] data skip 1 using (of(word(names, i), "single_op_gross") ? $4 : NaN):5 \
            with steps linecolor rgb colour(word(names, i)) linewidth 1.6 \
            dashtype dash(word(names, i))
    do for [i=1:words(names)] { unset label 100+i; unset arrow 100+i }
    eval headed
}
