# False-positive rates, a row for each cell.
title = "False-positive rates"
legend = "Line: 95 % interval. Cross: theory."
better = "Further left is better: fewer false positives."
xname = "% of absent keys that get \"maybe\""
factor = 1
said(x) = sprintf("%.3g %%", x)
shows_reference = 1
shows_zero = 0
load scripts."/cells.gp"
