# What a Get of an engine takes beside what a profile foretold, a row for each cell and stream.
title = "Time of a Get"
legend = "Line: 95 % interval. Cross: foretold from a profile of another database."
better = "The nearer a cross is to its line, the better the profile foretells this database."
xname = "us"
factor = 1
said(x) = sprintf("%.3g", x)
shows_reference = 1
shows_zero = 0
load scripts."/cells.gp"
