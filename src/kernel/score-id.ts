/** The ids of the deals that are scores begin with it. */
export const scoreIdStart = 'score:';
