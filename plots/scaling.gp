# Lookups a second of all threads together against their number: one panel a design, its footprints.
title = "Lookups from several threads on one filter"
legend = "Million batched lookups of absent keys a second, all threads together; bars: middle half of the rounds. Grey: in proportion to one thread."
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(2))) nooutput
places = seen
# With most threads: the least and the most speedup.
stats data skip 1 using 3 name "N" nooutput
eval forget
stats data skip 1 using ($3 == N_max ? tell(short(strcol(1))." in ".strcol(2), $7) : 0) nooutput
see = sprintf("On the grey line twice the threads answer twice as many. With %g threads from %.2g x (%s) to %.2g x (%s)", N_max, least, least_of, most, most_of)
# One blue, darker the further from the core.
shades = "#9ecae1 #6baed6 #3182bd #08519c"
shade(j) = rgb(word(shades, j + 4 - words(places)))
stats data skip 1 using (1e-6 * $4) name "R" nooutput
columns = words(names) < 4 ? words(names) : 4
rows = (words(names) + columns - 1) / columns
left = 100
width = atleast(115 + 310 * columns)
height = head + 60 + 220 * rows
eval open
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256)
axes = "set logscale xy; set xrange [N_min / 1.15:N_max * (N_max / N_min) ** 0.7]; set yrange [R_min / 1.5:R_max * 2]"
set multiplot layout rows,columns margins 1.*left/width,1-15./width,60./height,1-1.*head/height \
    spacing 16./width,30./height
eval heading
row(j) = strcol(1) eq name && strcol(2) eq word(places, j)
do for [i=1:words(names)] {
    name = word(names, i)
    set format y ((i - 1) % columns ? "" : "%g M/s")
    set format x (i + columns > words(names) ? "%g" : "")
    set xlabel (i + columns > words(names) ? "threads" : "") offset 0,0.4
    set label 3 short(name) at graph 0.03,0.92 left font ",15" textcolor rgb colour_of(name) noenhanced
    array one[words(places)]
    array said[words(places)]
    do for [j=1:words(places)] {
        one[j] = 0
        said[j] = ""
        stats data skip 1 using (row(j) && $3 == 1 ? (one[j] = 1e-6 * $4, 0) : 0) nooutput
        stats data skip 1 using (row(j) ? (said[j] = sprintf("%s, %.2g x", word(places, j), $7), 0) : 0) nooutput
        set label 10+j said[j] at graph 0.98,0.92-0.1*(j-1) right font ",11" textcolor rgb shade(j)
    }
    eval axes
    plot for [j=1:words(places)] (x <= N_max ? one[j] * x : NaN) with lines linecolor rgb "#d0d0d0" linewidth 0.8, \
        for [j=1:words(places)] data skip 1 using (row(j) ? $3 : NaN):(1e-6 * $4):(1e-6 * $5):(1e-6 * $6) \
            with yerrorbars pointtype 7 pointsize 0.5 linecolor rgb shade(j) linewidth 1, \
        for [j=1:words(places)] data skip 1 using (row(j) ? $3 : NaN):(1e-6 * $4) \
            with lines linecolor rgb shade(j) linewidth 2
    eval plain
    eval headed
}
