# One panel a design, all over the same axes: measured points with intervals, theory as a line, grey
# references. The calling figure sets title, legend, xname, xmark, xcolumn, `axes`, the references
# upper(x) and lower(x) as rates, and what is said of a design's worst point among those with
# counts(x): remark(x, rate). `better` begins the subtitle.
keys_column = 2
n_column = 3
load scripts."/keys.gp"
seen = ""
stats data skip 1 using (note(strcol(1))) nooutput
array remarks[words(seen)]
is(text) = text eq name
eval forget
do for [i=1:words(seen)] {
    name = word(seen, i)
    worst = -1
    worst_x = 0
    stats data skip 1 using (is(strcol(1)) && counts(column(xcolumn)) && strcol(5) ne "nan" && $5 > worst \
        ? (worst = $5, worst_x = column(xcolumn), 0) : 0) nooutput
    remarks[i] = worst < 0 ? "" : remark(worst_x, 100 * worst)
    told = worst < 0 ? 0 : tell(short(name).", ".remark(worst_x, 100 * worst), worst)
}
see = better.(most < 0 ? "" : words(seen) < 2 || least_of eq most_of ? " ".most_of : " From ".least_of." to ".most_of)
columns = words(seen) < 4 ? words(seen) : 4
rows = (words(seen) + columns - 1) / columns
left = 100
width = atleast(115 + 310 * columns)
height = head + 60 + 240 * rows
eval open
eval axes

set multiplot layout rows,columns margins 1.*left/width,1-15./width,60./height,1-1.*head/height \
    spacing 16./width,30./height
eval heading
do for [i=1:words(seen)] {
    name = word(seen, i)
    bottom = i + columns > words(seen)
    set format y ((i - 1) % columns ? "" : "%g %%")
    set format x (bottom ? xmark : "")
    set xlabel (bottom ? xname : "") offset 0,0.4
    set label 3 short(name) at graph 0.97,0.92 right font ",15" textcolor rgb colour_of(name) noenhanced
    set label 4 remarks[i] at graph 0.97,0.80 right textcolor rgb quiet
    plot 100 * upper(x) with lines linecolor rgb quiet linewidth 1, \
        100 * lower(x) with lines linecolor rgb quiet linewidth 1 dashtype "..", \
        data skip 1 using (is(strcol(1)) ? column(xcolumn) : NaN):(100 * $9) \
            with lines linecolor rgb colour_of(name) linewidth 1.4, \
        data skip 1 using (is(strcol(1)) ? column(xcolumn) : NaN):(100 * $5):(100 * $6):(100 * $7) \
            with yerrorbars pointtype 7 pointsize 0.45 linecolor rgb colour_of(name) linewidth 1, \
        data skip 1 using (is(strcol(1)) ? column(xcolumn) : NaN):(100 * $8) \
            with points pointtype 11 pointsize 0.5 linecolor rgb colour_of(name)
    eval headed
}
