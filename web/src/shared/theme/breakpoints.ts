/** Below this width the page has a bottom bar, and tables become cards. */
export const phone = '(max-width: 767px)';
