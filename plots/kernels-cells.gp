# What an operation costs, a row for each cell.
title = "Cost of an operation"
legend = "Line: 95 % interval."
better = "Further left is faster."
xname = "ns"
factor = 1
said(x) = duration(x)
shows_reference = 0
shows_zero = 0
load scripts."/cells.gp"
