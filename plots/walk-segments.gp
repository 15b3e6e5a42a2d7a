# What a query of an absent key costs against the runs it visits: one panel a design, a shade for
# each length of key; dashed: hashed again for every filter, solid: hashed once.
title = "Hash once or for every filter"
legend = "ns per query of an absent key; bars: 95 % intervals. Solid: one digest for all filters; dashed: the key hashed again for each."
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(3))) nooutput
lengths = seen
# With most runs: the least and the most that a query costs, of all keys.
stats data skip 1 using 4 name "X" nooutput
eval forget
stats data skip 1 using ($4 == X_max ? tell(short(strcol(1))." ".strcol(2).", keys of ".strcol(3)." B", $5) : 0) nooutput
see = sprintf("Dashed above solid is what hashing again costs. Over %g runs from %s (%s) to %s (%s)", X_max, duration(least), least_of, duration(most), most_of)
# One blue, darker the longer the key.
shades = "#9ecae1 #6baed6 #4292c6 #2171b5 #08519c #08306b #041c40"
shade(j) = rgb(word(shades, words(lengths) > 1 ? 1 + (j - 1) * (words(shades) - 1) / (words(lengths) - 1) : 4))
stats data skip 1 using 5 name "Y" nooutput
columns = words(names) < 3 ? words(names) : 3
rows = (words(names) + columns - 1) / columns
left = 100
width = atleast(115 + 400 * columns)
height = head + 60 + 320 * rows
eval open
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256)
axes = "set logscale xy; set xrange [X_min / 1.1:X_max * (X_max / X_min) ** 0.22]; set yrange [Y_min / 1.5:Y_max * 2]"
set multiplot layout rows,columns margins 1.*left/width,1-15./width,60./height,1-1.*head/height \
    spacing 16./width,30./height
eval heading
line(j, lookup) = strcol(1) eq name && strcol(3) eq word(lengths, j) && strcol(2) eq lookup
do for [i=1:words(names)] {
    name = word(names, i)
    set format y ((i - 1) % columns ? "" : "%g ns")
    set format x (i + columns > words(names) ? "%g" : "")
    set xlabel (i + columns > words(names) ? "runs" : "") offset 0,0.4
    set label 3 short(name) at graph 0.03,0.94 left font ",15" textcolor rgb colour_of(name) noenhanced
    array last_x[words(lengths)]
    array last_y[words(lengths)]
    do for [j=1:words(lengths)] {
        last_x[j] = 0
        last_y[j] = NaN
        stats data skip 1 using (line(j, "rehash-each") && $4 > last_x[j] ? (last_x[j] = $4, last_y[j] = $5, Y_min) : Y_min) nooutput
        unset label 10+j
        if (last_x[j] > 0) {
            set label 10+j word(lengths, j)." B" at last_x[j] * 1.08,last_y[j] left font ",11" textcolor rgb shade(j)
        }
    }
    eval axes
    plot for [j=1:words(lengths)] data skip 1 using (line(j, "rehash-each") ? $4 : NaN):5 \
            with lines linecolor rgb shade(j) linewidth 1.4 dashtype "-", \
        for [j=1:words(lengths)] data skip 1 using (line(j, "rehash-each") ? $4 : NaN):5:6:7 \
            with yerrorbars pointtype 6 pointsize 0.4 linecolor rgb shade(j) linewidth 1, \
        for [j=1:words(lengths)] data skip 1 using (line(j, "shared-digest") ? $4 : NaN):5 \
            with lines linecolor rgb shade(j) linewidth 2, \
        for [j=1:words(lengths)] data skip 1 using (line(j, "shared-digest") ? $4 : NaN):5:6:7 \
            with yerrorbars pointtype 7 pointsize 0.5 linecolor rgb shade(j) linewidth 1
    eval plain
    eval headed
}
