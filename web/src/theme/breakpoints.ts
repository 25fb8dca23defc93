/** Below this width the page has a bottom bar, and tables become cards. */
export const phone = '(max-width: 767px)';
/** From this width on the drawer moves the page aside instead of covering it. */
export const wide = '(min-width: 1280px)';
