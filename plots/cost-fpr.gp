# False-positive rate against the cost of a lookup, one panel a footprint.
title = "False-positive rate against the cost of a lookup"
legend = "Batches of absent keys; rate predicted (leveldb: up to 2^{20} keys). Grey, named with bits a key: the front; no design beats it in both."
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
columns = words(shown) < 2 ? 1 : 2
rows = (words(shown) + columns - 1) / columns
left = 100
width = 330 + 480 * columns
height = 160 + 360 * rows > 40 + 100 + 22 * words(names) ? 160 + 360 * rows : 140 + 22 * words(names)
eval open
set logscale xy
set xrange [T_min / 1.4:T_max * 1.4]
set yrange [F_min / 4:F_max * 1.3]
set xtics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
set ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set multiplot layout rows,columns margins 1.*left/width,1-230./width,65./height,1-90./height \
    spacing 30./width,50./height
eval heading
do for [i=1:words(names)] {
    set label 100+i word(names, i) at screen 1-205./width,1-(105.+22*i)/height left \
        point pointtype point_of(word(names, i)) pointsize 0.9 linecolor rgb colour_of(word(names, i)) \
        offset 1,0 textcolor rgb colour_of(word(names, i)) noenhanced
}
row(kind) = strcol(2) eq kind && strcol(3) eq place_name
of(name) = row("design") && strcol(1) eq name
do for [p=1:words(shown)] {
    place_name = word(shown, p)
    set label 3 place_name at graph 0.97,0.93 right font ",15" textcolor rgb ink
    # One label a design of the front: "sbbf-256: 8, 12, 16".
    seen = ""
    stats data skip 1 using (row("front") ? note(strcol(1)) : 0) nooutput
    front = seen
    do for [i=1:words(front)] {
        bits = ""
        stats data skip 1 using (row("front") && strcol(1) eq word(front, i) ? (bits = bits.sprintf("%s %.3g", strlen(bits) ? "," : ":", $7), 0) : 0) nooutput
        set label 10+i word(front, i).bits at graph 0.03,0.05+0.06*(words(front)-i) left font ",11" \
            textcolor rgb colour_of(word(front, i)) noenhanced
    }
    set format y ((p - 1) % columns ? "" : "%g %%")
    set xlabel (p + columns > words(shown) ? "ns a lookup" : "")
    plot data skip 1 using (row("front") ? $8 : NaN):(100 * $11) \
            with steps linecolor rgb "#b8b8b8" linewidth 1.5, \
        for [i=1:words(names)] data skip 1 \
            using (of(word(names, i)) ? $8 : NaN):(100 * $11):9:10 \
            with xerrorbars linecolor rgb colour_of(word(names, i)) pointtype point_of(word(names, i)) \
            pointsize 0.9 linewidth 0.8, \
        for [i=1:words(names)] data skip 1 \
            using (of(word(names, i)) ? $8 : NaN):(100 * $11) \
            with lines linecolor rgb colour_of(word(names, i)) linewidth 1
    do for [i=1:words(front)] { unset label 10+i }
    unset label 1
    unset label 2
    do for [i=1:words(names)] { unset label 100+i }
}
