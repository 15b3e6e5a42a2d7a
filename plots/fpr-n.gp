# FPR against the number of keys, each design asked for the same bits per key.
title = "False-positive rate against the number of keys"
stats data skip 1 using 10 name "A" nooutput
asked = A_min
legend = sprintf("Points: measured, with 95 %% interval. Lines: theory. Grey: the best classic Bloom filter at %g bits per key.", asked)
upper(n) = 0.6185**asked
lower(n) = NaN
counts(n) = 1
remark(n, rate) = sprintf("worst %.3g %%, at %.0f keys", rate, n)
xcolumn = 3
xname = "keys"
xmark = "%.0s%c"
stats data skip 1 using 3 name "N" nooutput
stats data skip 1 using (100 * $5) name "F" nooutput
# Small filters of whole blocks can be far worse; the remark says how far.
top = F_max < 350 * upper(0) ? F_max : 350 * upper(0)
better = "Flat is good, and lower is better."
axes = "set logscale x; set xrange [N_min / 1.3:N_max * 1.3]; set yrange [0:top * 1.5]; \
    set xtics 10,10"
load scripts."/panels.gp"
