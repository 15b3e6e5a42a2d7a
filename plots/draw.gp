# gnuplot -c draw.gp SCRIPTS TABLE FIGURE   (in a folder of its own)
# Draws TABLE with FIGURE.gp into FB_NAME.svg and FB_NAME.png, whichever FB_FORMATS names, and says
# title and `see` of the figure. A figure says its width and height, then evaluates `open`. Each figure has
# a process of its own: the names of one are not in another.
scripts = ARG1
data = ARG2
figure = ARG3
load scripts."/style.gp"
do for [open in system('printf %s "$FB_FORMATS"')] {
    reset
    eval style
    open = value(open)
    load scripts."/".figure.".gp"
    unset multiplot
    unset output
}
print "title: ".title
print "see: ".see
