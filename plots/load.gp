# Operations a second against how full the filter is: a column a design, a row a footprint.
title = "Throughput against load"
legend = "Load: slots taken; counting: of the keys that it is sized for. Million operations a second, 95 % interval: lookups and inserts in batches, mixed ones key by key, a third each removals, lookups and inserts."
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
names = seen
seen = ""
stats data skip 1 using (note(strcol(2))) nooutput
measured = seen
places = ""
do for [place_name in "L1 L2 L3 DRAM"] {
    places = places.(strstrt(" ".measured." ", " ".place_name." ") ? place_name." " : "")
}
seen = ""
stats data skip 1 using (note(strcol(3))) nooutput
operations = seen
# A colour an operation, of those that figures of designs use.
known = "batch insert remove mixed"
colours_of = "#0072b2 #d55e00 #009e73 #222222"
points_of = "7 5 9 13"
number(operation) = (sum [i=1:words(known)] (word(known, i) eq operation ? i : 0))
shade(operation) = number(operation) ? rgb(word(colours_of, number(operation))) : 0x767676
mark(operation) = int(number(operation) ? word(points_of, number(operation)) : 6)
said(operation) = operation eq "batch" ? "lookup" : operation
# What is left of the inserts at the fullest, over those at the emptiest.
stats data skip 1 using 4 name "L" nooutput
stats data skip 1 using (1e-6 * $5) name "R" nooutput
eval forget
do for [name in names] {
    do for [place_name in places] {
        low_load = 2
        high_load = 0
        at_low = 0
        at_high = 0
        of(n) = strcol(1) eq name && strcol(2) eq place_name && strcol(3) eq "insert"
        stats data skip 1 using (of(0) && $4 < low_load ? (low_load = $4, at_low = $5, 0) : 0) nooutput
        stats data skip 1 using (of(0) && $4 > high_load ? (high_load = $4, at_high = $5, 0) : 0) nooutput
        if (high_load > low_load) {
            told = tell(sprintf("%s in %s, %.3g M/s of %.3g", short(name), place_name, 1e-6 * at_high, 1e-6 * at_low), at_high / at_low)
        }
    }
}
see = most < 0 ? "Higher is faster." : "Higher is faster. Of inserts into the emptiest filter the fullest keeps least: ".least_of.(least_of eq most_of ? "" : "; most: ".most_of)
columns = words(names)
rows = words(places)
left = 100
width = atleast(115 + 310 * columns)
height = head + 80 + 240 * rows
eval open
set xtics 0.25
y_low = R_min / 1.6
y_high = R_max * 1.6 * (R_max / R_min) ** 0.2 # room for the names
gap = 15. / 220
axes = "set logscale y; set xrange [L_min - 0.05:L_max + 0.22]; set yrange [y_low:y_high]"
set multiplot layout rows,columns margins 1.*left/width,1-15./width,70./height,1-1.*head/height \
    spacing 16./width,30./height
eval heading
row(o) = strcol(1) eq name && strcol(2) eq place_name && strcol(3) eq o
array last_x[words(operations)]
array last_y[words(operations)]
array label_set[words(operations)]
array label_at[words(operations)]
do for [r=1:rows] {
    place_name = word(places, r)
    do for [i=1:columns] {
        name = word(names, i)
        set format y (i > 1 ? "" : "%g M/s")
        set format x (r == rows ? "%g" : "")
        set xlabel (r == rows ? "load" : "") offset 0,0.4
        set label 3 short(name).", ".place_name at graph 0.03,0.93 left font ",15" textcolor rgb ink noenhanced
        do for [o=1:words(operations)] {
            label_set[o] = 0
            last_x[o] = -1
            last_y[o] = 1
            stats data skip 1 using (row(word(operations, o)) && $4 > last_x[o] ? (last_x[o] = $4, last_y[o] = 1e-6 * $5, 0) : 0) nooutput
        }
        # From the top down, none nearer than a gap to the one above it; moved up where they end below.
        over = 1e9
        do for [step=1:words(operations)] {
            top = 0
            do for [o=1:words(operations)] {
                if (last_x[o] > 0 && !label_set[o] && (!top || last_y[o] > last_y[top > 0 ? top : 1])) { top = o }
            }
            if (top) {
                label_set[top] = step
                label_at[top] = on_log(last_y[top], y_low, y_high)
                label_at[top] = label_at[top] > over - gap ? over - gap : label_at[top]
                over = label_at[top]
            }
        }
        lift = over < 0.5 * gap ? 0.5 * gap - over : 0
        do for [o=1:words(operations)] {
            if (label_set[o]) {
                set label 10+o said(word(operations, o)) at first last_x[o] + 0.02,graph label_at[o] + lift left \
                    font ",11" textcolor rgb shade(word(operations, o)) noenhanced
            }
        }
        eval axes
        plot for [o=1:words(operations)] data skip 1 \
                using (row(word(operations, o)) ? $4 : NaN):(1e-6 * $5) \
                with lines linecolor rgb shade(word(operations, o)) linewidth 1.6, \
            for [o=1:words(operations)] data skip 1 \
                using (row(word(operations, o)) ? $4 : NaN):(1e-6 * $5):(1e-6 * $6):(1e-6 * $7) \
                with yerrorbars pointtype mark(word(operations, o)) pointsize 0.6 \
                linecolor rgb shade(word(operations, o)) linewidth 1
        do for [o=1:words(operations)] { unset label 10+o }
        eval plain
        eval headed
    }
}
