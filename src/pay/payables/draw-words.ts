/** The kinds of lines of draws, as documents name them. */
export const drawNames = {
  draw: 'Draw',
  draw_recovery: 'Repayment of a draw',
  draw_offset: 'Draw of a corrected period',
} as const;
