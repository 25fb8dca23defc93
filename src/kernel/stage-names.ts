/** Whether the name of a stage says that its deals are won. */
export function isWonName(stage: string): boolean {
  return /won/i.test(stage);
}

const lost =
  /lost|^closed|\b(churned|cancell?ed|abandoned|disqualified|declined|rejected|withdrawn|dropped|expired|dead|no decision|no sale|not interested)\b/i;

/** Whether the name of a stage closes a deal without winning it. Companies name this stage in many ways; `Closed` alone counts. */
export function isLostName(stage: string): boolean {
  return lost.test(stage.replace(/[_-]/g, ' '));
}
