# Measured over claimed: for each document its claims that hold, as one strip of dots, and below it
# a line for each that does not.
title = "What the documents claim against what is measured"
legend = "Orange: claims that do not hold. Grey: those that do, a dot each, hollow where undecided; a limit such as \"at most 7\" may hold from afar."
stats data skip 1 using 5 name "L" nooutput
eval forget
hold = 0
fail = 0
stats data skip 1 using (strcol(4) eq "fails" ? (fail = fail + 1, strcol(6) ne "nan" ? tell(strcol(2), abs(log($6))) : 0) : 0) nooutput
heads_of(text) = strstrt(text, " of ") ? (hold = hold + int(text[1:strstrt(text, " ")]), 0) : 0
stats data skip 1 using (strcol(3) eq "document" ? heads_of(strcol(7)) : 0) nooutput
see = sprintf("At 1 it is as claimed: %d claims hold, %d do not.", hold, fail).(most > 0 ? " Furthest off: ".most_of : "")
left = 265
width = 1345
height = head + 75 + 21 * (L_max + 1)
eval open
eval heading
set lmargin at screen 1.*left/width
set rmargin at screen 1-520./width
set bmargin at screen 66./height
set tmargin at screen 1-1.*head/height

low = 0.08
high = 12.5
inside(ratio) = ratio < low ? low : ratio > high ? high : ratio
fails(line) = strcol(4) eq "fails" ? line : NaN
holds(line) = strcol(4) eq "holds" ? line : NaN
undecided(line) = strcol(4) eq "open" ? line : NaN
heads(line) = strcol(3) eq "document" ? line : NaN
# nori.k.10 stands under nori.
short(claim) = strstrt(claim, ".") ? claim[strstrt(claim, ".") + 1:] : claim

set border 1
set logscale x
set xrange [low:high]
set xtics ("1/10" 0.1, "1/5" 0.2, "1/2" 0.5, "1" 1, "2" 2, "5" 5, "10" 10)
set xlabel "measured / claimed"
set yrange [L_max + 0.7:-0.7]
unset ytics
set grid noytics
set arrow 1 from 1,graph 0 to 1,graph 1 nohead linecolor rgb ink linewidth 0.8 back
plot data skip 1 using (1):(fails($5)):(inside($6) - 1):(0) with vectors nohead linecolor rgb wrong linewidth 1.2, \
    data skip 1 using ($6 == inside($6) ? $6 : NaN):(fails($5)) with points pointtype 7 pointsize 0.75 linecolor rgb wrong, \
    data skip 1 using (inside($6)):($6 == inside($6) ? NaN : fails($5)):($6 < 1 ? "◀" : "▶") \
        with labels textcolor rgb wrong, \
    data skip 1 using (inside($6)):(holds($5)) with points pointtype 7 pointsize 0.45 linecolor rgb "#808a8a8a", \
    data skip 1 using (inside($6)):(undecided($5)) with points pointtype 6 pointsize 0.6 linecolor rgb ink, \
    data skip 1 using (low):(heads($5)):2 with labels right offset -1.2,0 font ",15" textcolor rgb ink noenhanced, \
    data skip 1 using (high):(heads($5)):7 with labels left offset 1.2,0 textcolor rgb ink noenhanced, \
    data skip 1 using (low):(fails($5)):(short(strcol(2))) with labels right offset -1.2,0 textcolor rgb ink noenhanced, \
    data skip 1 using (high):(fails($5)):(fit(strcol(7), 58)) with labels left offset 1.2,0 textcolor rgb quiet noenhanced
