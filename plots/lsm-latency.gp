# How long single queries take, by percentile: the walk over the filters alone, and with its reads.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
device = ""
stats data skip 1 using (device = strcol(5), 0) nooutput
title = "Latency of single queries by percentile"
legend = sprintf("Fastest lookup. Thick: CPU and reads as on device '%s'; thin: CPU alone; grey: the empty timer.", device)
# What one query of a hundred takes at least.
eval forget
before = ""
stats data skip 1 using (strcol(2) eq "query_total" && $3 <= 0.01 && before ne strcol(1) ? (before = strcol(1), tell(short(before), $4)) : 0) nooutput
see = "Lower is faster.".(most < 0 ? "" : least == most ? sprintf(" One query of a hundred takes %s or more", duration(least)) : \
    sprintf(" One query of a hundred takes %s or more (%s) ... %s or more (%s)", duration(least), least_of, duration(most), most_of))
left = 100
width = 1130
height = head + 560 > head + 30 + 22 * words(names) ? head + 560 : head + 30 + 22 * words(names)
eval open
eval heading
set lmargin at screen 1.*left/width
set rmargin at screen 1-240./width
set bmargin at screen 60./height
set tmargin at screen 1-1.*head/height
# A step begins where the one before ends.
before_share = 1
stats data skip 1 using (kept = before_share, before_share = $3, kept >= 1e-4 || $3 >= 1e-4 ? $4 : NaN) name "T" nooutput
set logscale xy
set xrange [1:1e-4]
set xtics ("0" 1, "p50" 0.5, "p90" 0.1, "p99" 0.01, "p99.9" 0.001, "p99.99" 0.0001)
set yrange [T_min / 1.5:T_max * 1.5]
set ytics ("10 ns" 10, "100 ns" 100, "1 us" 1e3, "10 us" 1e4, "100 us" 1e5, "1 ms" 1e6, "10 ms" 1e7, "100 ms" 1e8, "1 s" 1e9)
do for [i=1:words(names)] {
    set label 100+i short(word(names, i)) at screen 1-180./width,1-(head + 10.+22*i)/height left textcolor rgb ink noenhanced
    set arrow 100+i from screen 1-215./width,1-(head + 10.+22*i)/height to screen 1-187./width,1-(head + 10.+22*i)/height \
        nohead linecolor rgb colour_of(word(names, i)) dashtype dash_of(word(names, i)) linewidth 2
}
inside(share) = share > 1e-9 ? share : 1e-9
of(name, kind) = strcol(1) eq name && strcol(2) eq kind
plot for [i=1:words(names)] data skip 1 using (of(word(names, i), "timer_empty") ? inside($3) : NaN):4 \
        with fsteps linecolor rgb "#c0c0c0" linewidth 3, \
    for [i=1:words(names)] data skip 1 using (of(word(names, i), "query_cpu") ? inside($3) : NaN):4 \
        with fsteps linecolor rgb colour_of(word(names, i)) linewidth 0.7 dashtype dash_of(word(names, i)), \
    for [i=1:words(names)] data skip 1 using (of(word(names, i), "query_total") ? inside($3) : NaN):4 \
        with fsteps linecolor rgb colour_of(word(names, i)) linewidth 2 dashtype dash_of(word(names, i))
