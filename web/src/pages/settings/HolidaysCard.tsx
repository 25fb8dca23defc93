import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAction } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { fileQuery } from '../../features/imports/results.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';

const holidaysQuery = queryOptions({
  queryKey: ['holidays'],
  queryFn: async ({ signal }) => (await api.listHolidays({}, { signal })).holidays,
});

type Holiday = Answer<'listHolidays'>['holidays'][number];

/** The holidays of the company, which the pace of quotas leaves out, and the file that adds some. */
export function HolidaysCard() {
  const add = useAction({
    send: async (file: File) => {
      const data = await file.text();
      const query = fileQuery({ dryRun: false, fileName: file.name, dateFormat: 'ISO', numberFormat: null });
      return api.importHolidays({ query, upload: { contentType: 'text/calendar', data } });
    },
    onDone: ({ accepted, rejected }) =>
      showMessage(`${formatCount(accepted, 'holiday')} added or changed, ${formatCount(rejected, 'row')} rejected.`),
  });
  return (
    <Card title="Holidays" note="The pace of quotas counts no working day on them">
      <TextField
        label="Add a calendar"
        type="file"
        accept=".ics,text/calendar,.csv,text/csv"
        hint="An iCalendar file with events of whole days, or a CSV file with the columns day and name."
        onChange={({ currentTarget: { files } }) => {
          const chosen = files?.[0];
          if (chosen !== undefined) add.send(chosen);
        }}
      />
      <p className="dim">
        A file that was wrong is taken back under <Link to="/imports">Imports</Link>.
      </p>
      <Loaded query={useQuery(holidaysQuery)} height={120}>
        {(holidays) => <Holidays holidays={holidays} />}
      </Loaded>
    </Card>
  );
}

function Holidays({ holidays }: { readonly holidays: readonly Holiday[] }) {
  if (holidays.length === 0) return <p>No holidays yet: Monday to Friday are working days.</p>;
  return (
    <ul className={blocks.rows} aria-label="Holidays">
      {holidays.map(({ day, name }) => (
        <li key={day}>
          <span>{name}</span>
          <span className="num">{formatDay(day, 'year')}</span>
        </li>
      ))}
    </ul>
  );
}
