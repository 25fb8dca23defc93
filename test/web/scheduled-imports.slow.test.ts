import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { FileServer } from '#test/support/file-server.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';

const header = 'Deal ID,Amount,Stage,Close date,Owner';

describe('scheduled imports in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true });
  let files: FileServer;

  before(async () => {
    files = await FileServer.start();
  });
  after(() => files.stop());

  it('are created from a web address, confirmed after a dry run, run again, and kept in the history', async () => {
    const { api } = browser.workspace;
    await api.saveReps('Ann');
    const amounts = async () =>
      (await api.expect(200, 'GET', '/v1/deals?after=')).deals.map(({ deal_id, amount }: Record<string, unknown>) => [
        deal_id,
        amount,
      ]);
    files.content = `${header}\nB1,1000,Won,2026-01-15,ann\nB2,2000,Won,soon,ann\n`;
    const { page, problems, close } = await browser.openPage('admin', '/imports/scheduled', {
      // The reader is elsewhere: all times of the card are those of the schedule.
      prepare: (opened) => opened.emulateTimezone('Asia/Tokyo'),
    });
    await sees(page, 'No files are imported by a schedule');
    await pointer.press(page, 'button', 'New scheduled import');
    await pointer.write(page, 'Name', 'Bookings');
    await pointer.write(page, 'Address', files.url);
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Create and read');
    await sees(page, 'bookings.csv: 2 rows');
    await pointer.press(page, 'button', 'Check this matching');
    await sees(page, 'It would create or change 1 row, leave 0 rows unchanged and reject 1 row.');
    await sees(page, 'Row 2:');
    expect(await violations(page)).to.deep.equal([]);
    expect(await amounts()).to.deep.equal([]);
    await pointer.press(page, 'button', 'Confirm and import');
    await sees(page, 'Imported');
    const { scheduledImports } = await api.expect(200, 'GET', '/v1/scheduled-imports');
    const [{ id, nextRunAt }] = scheduledImports;
    const { files: read } = await api.expect(200, 'GET', `/v1/scheduled-imports/${id}/files`);
    await sees(page, `, ${read[0].at.slice(11, 16)}`);
    await sees(page, `, ${nextRunAt.slice(11, 16)}, UTC time`);
    expect(await amounts()).to.deep.equal([['B1', 1000]]);

    files.content = `${header}\nB1,1500,Won,2026-01-15,ann\nB3,70,Won,late,ann\n`;
    await pointer.press(page, 'button', 'Run now');
    await page.waitForFunction(`document.body.innerText.match(/Imported/g)?.length === 2`);
    expect(await amounts()).to.deep.equal([['B1', 1500]]);
    await page.locator('details > summary').click();
    await sees(page, 'Row 2:');
    expect(await violations(page)).to.deep.equal([]);
    await sees(page, 'Columns: Deal ID is Deal ID; Amount is Amount;');
    await pointer.press(page, 'button', 'Change the matching');
    await pointer.choose(page, 'Where Owner goes', 'New field named …');
    await pointer.write(page, 'Name of the new field of Owner', 'Booked by');
    await pointer.press(page, 'button', 'Save this matching');
    await sees(page, 'Owner is Booked by');
    await pointer.press(page, 'link', 'bookings.csv');
    await sees(page, 'Schedule “Bookings”');
    expect(problems).to.deep.equal([]);
    await close();
  });
});
