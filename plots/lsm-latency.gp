# How long single queries take, by percentile: the walk over the filters alone, and with its reads.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(5))) nooutput
title = "Latency of single queries by percentile"
legend = sprintf("Fastest lookup. Whole lines: CPU and reads as on device '%s'; dashed: CPU alone; grey: the empty timer.", word(seen, 1))
left = 100
width = 1130
height = 640
eval open
eval heading
set lmargin at screen 1.*left/width
set rmargin at screen 1-210./width
set bmargin at screen 60./height
set tmargin at screen 1-80./height
stats data skip 1 using ($3 >= 1e-4 ? $4 : NaN) name "T" nooutput
set logscale xy
set xrange [1:1e-4]
set xtics ("0" 1, "p50" 0.5, "p90" 0.1, "p99" 0.01, "p99.9" 0.001, "p99.99" 0.0001)
set yrange [T_min / 1.5:T_max * 1.5]
set ytics ("10 ns" 10, "100 ns" 100, "1 us" 1e3, "10 us" 1e4, "100 us" 1e5, "1 ms" 1e6, "10 ms" 1e7, "100 ms" 1e8, "1 s" 1e9)
do for [i=1:words(names)] {
    set label 100+i word(names, i) at screen 1-185./width,1-(90.+22*i)/height left \
        point pointtype 5 pointsize 0.9 linecolor rgb colour_of(word(names, i)) \
        offset 1,0 textcolor rgb colour_of(word(names, i)) noenhanced
}
inside(share) = share > 1e-9 ? share : 1e-9
of(name, kind) = strcol(1) eq name && strcol(2) eq kind
plot for [i=1:words(names)] data skip 1 using (of(word(names, i), "timer_empty") ? inside($3) : NaN):4 \
        with fsteps linecolor rgb "#c0c0c0" linewidth 3, \
    for [i=1:words(names)] data skip 1 using (of(word(names, i), "query_cpu") ? inside($3) : NaN):4 \
        with fsteps linecolor rgb colour_of(word(names, i)) linewidth 1.4 dashtype 2, \
    for [i=1:words(names)] data skip 1 using (of(word(names, i), "query_total") ? inside($3) : NaN):4 \
        with fsteps linecolor rgb colour_of(word(names, i)) linewidth 2
