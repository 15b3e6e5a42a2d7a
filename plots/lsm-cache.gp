# Hits of the block cache against its size, one line a place where the filters are: a panel a design.
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(2))) nooutput
places = seen
title = "Hits of the block cache against its size"
legend = "Share of wanted blocks found in the cache; whole lines: data; dashed: filters. Dotted: the size of all filters."
# With the largest cache: the least and the most of the data found.
stats data skip 1 using 3 name "C" nooutput
eval forget
stats data skip 1 using ($3 == C_max && strcol(4) ne "nan" ? tell(short(strcol(1)).", filters ".strcol(2), 100 * $4) : 0) nooutput
see = "Higher is better: fewer reads.".(most < 0 ? "" : least == most ? sprintf(" With the largest cache %.3g %% of the data", most) : \
    sprintf(" With the largest cache from %.3g %% of the data (%s) to %.3g %% (%s)", least, least_of, most, most_of))
known = "pinned cached partitioned"
shades = "#222222 #d55e00 #0072b2"
known_as(name) = (sum [i=1:words(known)] (word(known, i) eq name ? i : 0))
shade(name) = rgb(known_as(name) ? word(shades, known_as(name)) : quiet)
columns = words(names) < 4 ? words(names) : 4
rows = (words(names) + columns - 1) / columns
left = 100
width = atleast(290 + 300 * columns)
height = head + 80 + 250 * rows
eval open
set ytics 20
# Lines that lie on each other: the first is the widest.
wide(j) = 4.2 - 1.2 * j
# Powers of four, or of sixteen where they would touch.
step = C_max / C_min > 1024 ? 16. : 4.
first = ceil(log(C_min) / log(step) - 1e-9)
last = floor(log(C_max) / log(step) + 1e-9)
capacities = 'set xtics ("" 1); do for [e=first:last] { set xtics add (gprintf("%.0b %BB", step**e) step**e) }'
blank = 'set xtics ("" 1); do for [e=first:last] { set xtics add ("" step**e) }'
do for [i=1:words(places)] {
    set label 100+i "filters ".word(places, i) at screen 1-190./width,1-(head + 20.+24*i)/height left \
        point pointtype 7 pointsize 1 linecolor rgb shade(word(places, i)) offset 1,0 \
        textcolor rgb shade(word(places, i)) noenhanced
}
axes = "set logscale x 2; set xrange [C_min / 1.3:C_max * 1.3]; set yrange [-3:103]"
set multiplot layout rows,columns margins 1.*left/width,1-215./width,65./height,1-1.*head/height \
    spacing 36./width,30./height
eval heading
of(where) = strcol(1) eq name && strcol(2) eq where
do for [i=1:words(names)] {
    name = word(names, i)
    bottom = i + columns > words(names)
    set format y ((i - 1) % columns ? "" : "%g %%")
    eval (bottom ? capacities : blank)
    set xlabel (bottom ? "capacity" : "") offset 0,0.4
    set label 3 short(name) at graph 1,1.06 right font ",15" textcolor rgb colour_of(name) noenhanced
    all = 0
    stats data skip 1 using (strcol(1) eq name ? (all = $7, 0) : 0) nooutput
    unset arrow 1
    if (all > C_min && all < C_max) {
        set arrow 1 from all,graph 0 to all,graph 1 nohead linecolor rgb quiet dashtype "."
    }
    eval axes
    plot for [j=1:words(places)] data skip 1 using (of(word(places, j)) ? $3 : NaN):(100 * $4) \
            with linespoints pointtype 7 pointsize 0.4 linecolor rgb shade(word(places, j)) linewidth wide(j), \
        for [j=1:words(places)] data skip 1 using (of(word(places, j)) ? $3 : NaN):(100 * $5) \
            with linespoints pointtype 6 pointsize 0.4 linecolor rgb shade(word(places, j)) linewidth wide(j) dashtype 2
    eval plain
    eval headed
    do for [j=1:words(places)] { unset label 100+j }
}
