# What an engine reads, a row for each cell.
title = "Data blocks read per absent Get"
legend = "Line: 95 % interval. Cross: predicted."
off = 0
stats data skip 1 using ($6 > 0 && abs($3 / $6 - 1) > off ? (off = abs($3 / $6 - 1), 0) : 0) nooutput
better = "Further left is better: fewer blocks read in vain. ".(off > 0 ? sprintf("The prediction is at most %.2g %% off.", 100 * off) : "Every row is as predicted.")
xname = "data blocks"
factor = 1
said(x) = sprintf("%.3g", x)
shows_reference = 1
shows_zero = 0
load scripts."/cells.gp"
