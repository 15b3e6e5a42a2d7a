# One panel a design over all the others: ns against the footprint of the filter, grey up to the
# yardsticks. The calling figure sets title, legend and `better`, which begins the subtitle.
is_design(kind) = kind eq "design"
seen = ""
stats data skip 1 using (is_design(strcol(2)) ? note(strcol(1)) : 0) nooutput
designs_seen = seen
seen = ""
stats data skip 1 using (is_design(strcol(2)) ? 0 : note(strcol(1))) nooutput
yardsticks = seen
is(text) = text eq name
# Footprints in which a design was measured, one beside the other: those of no design take no room.
places = "L1 L2 L3 DRAM"
array measured[4]
do for [p=1:4] {
    measured[p] = 0
    stats data skip 1 using (is_design(strcol(2)) && $4 == p - 1 ? (measured[p] = 1, 0) : 0) nooutput
}
n_places = measured[1] + measured[2] + measured[3] + measured[4]
beside(p) = measured[int(p)+1] ? (sum [i=1:4] (i <= p ? measured[i] : 0)) : NaN
array last[words(designs_seen)]
do for [i=1:words(designs_seen)] {
    name = word(designs_seen, i)
    last[i] = ""
    stats data skip 1 using (is(strcol(1)) ? (last[i] = sprintf("%.3g ns in %s", $8, strcol(3)), 0) : 0) nooutput
}
# Of the last footprint the least and the most.
stats data skip 1 using (is_design(strcol(2)) ? $4 : NaN) name "P" nooutput
eval forget
where = ""
stats data skip 1 using (is_design(strcol(2)) && $4 == P_max ? (where = strcol(3), tell(strcol(1), $8)) : 0) nooutput
see = better." In ".where.(least_of eq most_of ? sprintf(": %s, %.3g ns", short(least_of), least) : \
    sprintf(" from %s, %.3g ns, to %s, %.3g ns", short(least_of), least, short(most_of), most))
stats data skip 1 using 8 name "T" nooutput
columns = words(designs_seen) < 4 ? words(designs_seen) : 4
rows = (words(designs_seen) + columns - 1) / columns
left = 100
width = atleast(115 + 310 * columns)
height = head + 60 + 220 * rows
eval open
set logscale y
set xrange [-0.25:n_places - 0.75]
set yrange [T_min / 1.5:T_max * 2.5]
set xtics () # emptied
do for [p=1:4] {
    if (measured[p]) { set xtics add (word(places, p) beside(p - 1)) }
}
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)

set multiplot layout rows,columns margins 1.*left/width,1-15./width,60./height,1-1.*head/height \
    spacing 16./width,30./height
eval heading
do for [i=1:words(designs_seen)] {
    name = word(designs_seen, i)
    set format y ((i - 1) % columns ? "" : "%g ns")
    set format x (i + columns > words(designs_seen) ? "%g" : "")
    set label 3 short(name) at graph 0.03,0.92 left font ",15" textcolor rgb colour_of(name) noenhanced
    set label 4 last[i] at graph 0.03,0.80 left textcolor rgb quiet
    plot for [j=1:words(yardsticks)] data skip 1 \
            using (strcol(1) eq word(yardsticks, j) && result_of(word(yardsticks, j)) eq result_of(name) ? beside($4) : NaN):8 \
            with filledcurves y1=T_min/1.5 fillcolor rgb "#70c8c8c8", \
        for [j=1:words(designs_seen)] data skip 1 \
            using (strcol(1) eq word(designs_seen, j) && result_of(strcol(1)) eq result_of(name) ? beside($4) : NaN):8 \
            with lines linecolor rgb "#d0d0d0" linewidth 0.7, \
        data skip 1 using (is(strcol(1)) ? beside($4) : NaN):8:9:10 \
            with yerrorbars pointtype point_of(name) pointsize 0.6 linecolor rgb colour_of(name) linewidth 1, \
        data skip 1 using (is(strcol(1)) ? beside($4) : NaN):8 \
            with lines linecolor rgb colour_of(name) linewidth 2
    eval headed
}
