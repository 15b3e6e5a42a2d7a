# Each design as a multiple of one, a row for each cell. The name of that design is in column 7.
reference = ""
stats data skip 1 using (reference = strcol(7), 0) nooutput
title = "Compared with ".reference
legend = "Line: 95 % interval. A line that reaches 1 cannot be told from ".reference."."
better = "Left of 1 is less than ".reference."."
xname = "times ".reference
factor = 1
said(x) = sprintf("%.2f times", x)
shows_reference = 1
shows_zero = 0
load scripts."/cells.gp"
