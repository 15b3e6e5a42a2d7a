# Instructions of an operation, a row for each cell.
title = "Instructions of an operation"
legend = "Counted, not timed: a shorter path is not always a faster one."
better = "Further left is less work."
xname = "instructions"
factor = 1
said(x) = sprintf("%.4g", x)
shows_reference = 0
shows_zero = 0
load scripts."/cells.gp"
