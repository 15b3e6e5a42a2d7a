# FPR against the bits per key that a design really uses.
title = "False-positive rate against bits per key"
legend = "Points: measured, with 95 % interval. Lines: theory. Grey: the best classic Bloom filter; dotted, the bound of any filter."
upper(b) = b < 1.4427 ? 1 - exp(-1 / b) : 0.6185**b
lower(b) = 0.5**b
counts(b) = abs(b - 10) < 0.3
remark(b, rate) = sprintf("%.3g %% at %.3g bits", rate, b)
xcolumn = 4
xname = "bits per key"
xmark = "%g"
better = "Lower is better: fewer false positives at equal memory."
axes = "set xrange [0:31.5]; set xtics 8; set mxtics 2; \
    set logscale y; set yrange [1e-4:100]; set ytics 1e-4,100"
load scripts."/panels.gp"
