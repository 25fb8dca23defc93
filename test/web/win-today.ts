import { demoCorrection } from '#demo/corrections.js';
import { addDays, dayInZone } from '#src/kernel/day.js';
import { type Browser } from '#test/support/browser.js';

/** Wins a deal of the demo's seller today, so that the current month has commission from its first day on. */
export async function winToday({ workspace }: Browser): Promise<void> {
  const today = dayInZone(new Date(), 'UTC');
  const { deal } = demoCorrection(today);
  const won = { ...deal, name: 'Won today', amount: 60_000, closeDate: today, createdDate: addDays(today, -30) };
  await workspace.api.putDeal('Today', won);
  await workspace.calculated();
}
