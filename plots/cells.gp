# A row for each cell, one under the other. The calling figure sets title, legend, `better` (which begins
# the subtitle), xname, said(x) (a value in words), `factor` (of values to the unit of the axis), and
# shows_reference and shows_zero (whether the axis must reach them).
stats data skip 1 using 3 name "V" nooutput
stats data skip 1 using ($3 > 0 ? 1 : 0) name "P" nooutput
if (P_max > 0) {
    stats data skip 1 using ($3 > 0 ? $3 : NaN) name "L" nooutput
} else {
    L_min = 1
}
has(i) = strcol(i) ne "nan"
# Intervals count too: the longest may be that of the largest value, or of a 0.
top = V_max
stats data skip 1 using (has(5) && $5 > top ? (top = $5, 0) : 0) nooutput
bottom = V_min
stats data skip 1 using (has(4) && $4 < bottom ? (bottom = $4, 0) : 0) nooutput
stats data skip 1 using (shows_reference && has(6) ? (top = $6 > top ? $6 : top, bottom = $6 < bottom ? $6 : bottom, 0) : 0) nooutput
bottom = shows_zero && bottom > 0 ? 0 : bottom
top = shows_zero && top < 0 ? 0 : top
common = ""
n = 0
n_all = 0
longest = 0
stats data skip 1 using (common = strcol(10), n = $8, n_all = $9, strlen(strcol(1)) > longest ? (longest = strlen(strcol(1)), 0) : 0) nooutput
eval forget
stats data skip 1 using (tell(strcol(1), $3)) nooutput
longest = longest > 60 ? 60 : longest
far = !shows_zero && V_min >= 0 && V_max > 20 * L_min
# Rows that differ little are drawn large.
near = !far && bottom > 0.6 * top && top > bottom
see = better.(n < 2 ? " ".least_of.": ".said(least) : least == most ? " All: ".said(least) : sprintf(" From %s (%s) to %s (%s)", said(least), fit(least_of, 40), said(most), fit(most_of, 40)))
legend = legend.(common eq "-" ? "" : " All rows: ".common.".").(near ? " The axis does not begin at 0." : "")
missing = n < n_all ? sprintf(" The first %g of %g rows.", n, n_all) : missing
low = far ? L_min / 2 : bottom < 0 ? 1.1 * bottom : near ? bottom - 0.2 * (top - bottom) : 0
high = top > low ? top : low + 1
left = 30 + 10.2 * longest
width = atleast(left + 790)
height = head + 70 + 24 * n
eval open
eval heading
set lmargin at screen 1.*left/width
set rmargin at screen 1-140./width
set bmargin at screen 60./height
set tmargin at screen 1-1.*head/height
if (far) {
    set logscale x
}
x_from = factor * low
x_to = factor * (far ? 1.4 * high : high + 0.06 * (high - low))
set xrange [x_from:x_to]
set yrange [n + 0.7:0.3]
set xlabel xname offset 0,0.4
set format x "%g"
unset ytics
set grid noytics
if (low < 0) {
    set arrow 1 from 0,graph 0 to 0,graph 1 nohead linecolor rgb ink linewidth 0.8 back
}
# Nothing is left of the axis: a 0 on a logarithmic one is drawn at its end.
at(x) = factor * x > x_from ? factor * x : x_from
plot data skip 1 using (has(4) && has(5) ? at($4) : NaN):8:(at($5) - at($4)):(0) with vectors nohead linecolor rgb quiet linewidth 1.2, \
    data skip 1 using (at($3)):8:(point_of(strcol(2))):(colour_of(strcol(2))) \
        with points pointtype variable pointsize 1 linecolor rgb variable, \
    data skip 1 using (has(6) ? at($6) : NaN):8 with points pointtype 2 pointsize 1.4 linecolor rgb ink, \
    data skip 1 using (x_from):8:(fit(strcol(1), 60)) with labels right offset -1.2,0 textcolor rgb ink noenhanced, \
    data skip 1 using (x_to):8:(said($3)) with labels left offset 1.2,0 textcolor rgb quiet noenhanced
