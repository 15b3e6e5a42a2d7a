# What changed from one revision to the other, a row for each cell.
title = "Change of time from BASE to HEAD"
legend = "Line: the interval of the verdict."
better = "Left of 0 it became faster, right of 0 slower."
xname = "%"
factor = 1
said(x) = sprintf("%+.3g %%", x)
shows_reference = 0
shows_zero = 1
load scripts."/cells.gp"
