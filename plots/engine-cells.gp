# What an engine reads, a row for each cell.
title = "Data blocks read per absent Get"
legend = "Line: 95 % interval. Cross: predicted."
better = "Further left is better: fewer blocks that are read in vain."
xname = "data blocks"
factor = 1
said(x) = sprintf("%.3g", x)
shows_reference = 1
shows_zero = 0
load scripts."/cells.gp"
