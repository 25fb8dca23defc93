declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether a link of the page opened the drawer, so that closing it is the way back. */
    isOpenedHere?: boolean;
  }
}

/** Properties of a link that opens the explanation of an amount on its page. */
export const opensTrace = { to: '.', state: { isOpenedHere: true } } as const;
