# What every figure shares: fonts, grids, and one colour for each design.

open_svg = 'set terminal svg size width,height dynamic background "#ffffff" font "DejaVu Sans,Verdana,sans-serif,13"; set output figure.".svg.tmp"'
open_png = 'set terminal pngcairo size width*1.25,height*1.25 fontscale 1.25 linewidth 1.25 pointscale 1.25 background "#ffffff" font "DejaVu Sans,13"; set output figure.".png.tmp"'

ink = "#222222"    # text
quiet = "#8a8a8a"  # what is not the subject: references, notes
faint = "#e4e4e4"  # grid
wrong = "#d55e00"  # what does not hold

# Okabe and Ito's colours, one for each system; designs of one system differ in their points, and
# stand next to each other in every legend.
designs = "bloom-independent bloom-double bloom-double-32 nori nori-disk nori-pow2 fjall-1 fjall-2 fjall-3 leveldb rocksdb-fastlocal sbbf-256 sbbf-512 sbbf-512-lanes sbbf-512-pow2 course"
colours = "#222222 #222222 #222222 #0072b2 #0072b2 #0072b2 #009e73 #009e73 #009e73 #d55e00 #e69f00 #56b4e9 #cc79a7 #cc79a7 #cc79a7 #8c7a00"
points = "7 4 8 7 4 8 7 4 8 7 7 7 7 4 8 7"
# A design that is not in the table (a plugin's, a new one).
other = "#777777"

place(name) = (sum [i=1:words(designs)] (word(designs, i) eq name ? i : 0))
colour_of(name) = place(name) ? rgb(word(colours, place(name))) : rgb(other)
point_of(name) = place(name) ? int(word(points, place(name))) : 6
rgb(text) = int("0x".text[2:7])

# title and legend, a line each, from the left edge of the axes, `left` pixels in.
heading = 'set label 1 title at screen 1.*left/width,1-26./height font ",19" textcolor rgb ink; set label 2 legend at screen 1.*left/width,1-54./height textcolor rgb quiet'

# The distinct texts of a column, in the order in which they come.
seen = ""
note(text) = (strstrt(" ".seen." ", " ".text." ") ? 0 : (seen = seen." ".text, 0))

style = '\
set encoding utf8; \
set datafile separator tab; \
set border 3 linecolor rgb ink linewidth 0.8; \
set tics nomirror scale 0.5 textcolor rgb ink; \
set grid linetype 1 linecolor rgb faint linewidth 0.6; \
unset key; '
