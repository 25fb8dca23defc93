import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];

/** As calendars write them: with CRLF, folded lines, escaped commas and an end that is the day after the last one. */
const calendar = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  ...event('DTSTART;VALUE=DATE:20261225', 'DTEND;VALUE=DATE:20261227', 'SUMMARY:Christmas\\, ', '  both days'),
  ...event('DTSTART;VALUE=DATE:20261226', 'SUMMARY:Boxing Day'),
  ...event('DTSTART:20270101', 'SUMMARY;LANGUAGE=en:New Year'),
  ...event('DTSTART:20270102T090000Z', 'SUMMARY:A meeting'),
  ...event('DTSTART;VALUE=DATE:20270106', 'RRULE:FREQ=YEARLY', 'SUMMARY:Every year'),
  ...event('DTSTART;VALUE=DATE:20270107', 'STATUS:CANCELLED', 'SUMMARY:Cancelled'),
  'END:VCALENDAR',
].join('\r\n');

describe('holidays of the company', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let api: ApiClient;

  beforeEach(async () => {
    workspace = await service.workspace();
    ({ api } = workspace);
  });

  const send = (file: string, type: string, query = '') =>
    api.expect(200, 'POST', `/v1/holidays/import${query}`, file, { 'Content-Type': type });
  const listed = async () =>
    (await api.expect(200, 'GET', '/v1/holidays')).holidays.map(({ day, name }: Record<string, string>) => [day, name]);
  const christmas = [
    ['2026-12-25', 'Christmas, both days'],
    ['2026-12-26', 'Christmas, both days / Boxing Day'],
    ['2027-01-01', 'New Year'],
  ];

  it('are the days of the events of an iCalendar file; other events are rejected', async () => {
    const { accepted, rejected, results } = await send(calendar, 'text/calendar');
    expect({ accepted, rejected }).to.deep.equal({ accepted: 3, rejected: 2 });
    expect(results.flatMap(({ reason }: { reason?: string }) => reason ?? [])).to.deep.equal([
      'day: 20270102T090000Z is not a date in the format ISO',
      'day: a repeated event is not a date in the format ISO',
    ]);
    expect(await listed()).to.deep.equal(christmas);
    expect(await send(calendar, 'text/calendar')).to.include({ accepted: 0, unchanged: 3, rejected: 2 });
  });

  it('are read from a CSV file too, also with another delimiter', async () => {
    await send('Date;Holiday\n2026-05-01;Labour Day\n', 'text/csv', '?delimiter=%3B');
    await send(calendar, 'text/calendar', '?delimiter=%3B');
    expect(await listed()).to.deep.equal([['2026-05-01', 'Labour Day'], ...christmas]);
  });

  it('are taken back with the import, as long as nothing has changed them since', async () => {
    await send(calendar, 'text/calendar', '?fileName=holidays.ics');
    const { imports } = await api.expect(200, 'GET', '/v1/imports?limit=1');
    expect(imports[0]).to.include({ kind: 'holidays', fileName: 'holidays.ics' });
    await api.expect(200, 'POST', `/v1/imports/${imports[0].importId}/take-back`, {});
    expect(await listed()).to.deep.equal([]);
  });

  it('are read by everyone, and changed by admins', async () => {
    const [ben] = await api.saveReps('Ben');
    const asBen = await workspace.as(ben);
    await send('day,name\n2026-05-01,Labour Day\n', 'text/csv');
    expect((await asBen.expect(200, 'GET', '/v1/holidays')).count).to.equal(1);
    const file = 'day,name\n2026-05-02,Mine\n';
    const headers = { 'Content-Type': 'text/csv' };
    expect((await asBen.expect(403, 'POST', '/v1/holidays/import', file, headers)).code).to.equal('forbidden');
  });
});
