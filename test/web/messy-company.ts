/** A company of 42 people and 3,000 deals in the form in which spreadsheets contain them. */
interface Seller {
  readonly name: string;
  readonly email: string;
}

const firstNames = ['Zoë', 'Ömer', 'Łukasz', 'Jürgen', 'Ana', 'Ben', 'Cara'];
const lastNames = ['Groß', 'de Vries', "O'Neil", 'García', 'Şahin', 'Berg'];

const everyone: readonly Seller[] = firstNames.flatMap((first, row) =>
  lastNames.map((last, column) => ({ name: `${first} ${last}`, email: `p${row * 6 + column}@halden.test` })),
);
const managers = everyone.slice(0, 5);
export const sellers = everyone.slice(5, 30);

/** With a byte order mark, semicolons, addresses in any case and managers by name or address. */
export function peopleFile(): string {
  const rows = everyone.map(({ name, email }, index) => {
    const manager = managers[index % 5] as Seller;
    const below = index < 5 ? '' : index % 2 === 0 ? manager.name : manager.email.toUpperCase();
    const team = index < 5 ? 'Management' : index < 30 ? 'Sales' : 'Development';
    return [index % 3 === 0 ? email.toUpperCase() : email, ` ${name} `, below, team, `E-${100 + index}`].join(';');
  });
  return `\u{feff}${['Work e-mail;Full name;Reports to;Department;Employee ID', ...rows].join('\r\n')}\r\n`;
}

interface SoldDeal {
  readonly seller: number;
  readonly dollars: number;
  readonly month: number;
  readonly day: number;
}

/** The deals of January to October 2026: amounts of whole hundreds, the same in each run. */
export const deals: readonly SoldDeal[] = Array.from({ length: 3000 }, (_, index) => ({
  seller: (index * 7) % sellers.length,
  dollars: 100 * (10 + ((index * 7919) % 690)),
  month: 1 + ((index * 13) % 10),
  day: 1 + ((index * 17) % 28),
}));

/** Rows whose amount or date cannot be read, with what the admin types instead. */
export const corrections = [
  { row: 17, column: 'Booking amount', wrong: 'tbd', right: String((deals[16] as SoldDeal).dollars) },
  { row: 900, column: 'Booking amount', wrong: '12.3.4', right: String((deals[899] as SoldDeal).dollars) },
  { row: 2500, column: 'Close date', wrong: '13/45/2026', right: usDay(deals[2499] as SoldDeal) },
] as const;

function usDay({ month, day }: SoldDeal): string {
  return `${month}/${day}/2026`;
}

export function dealsFile(): string {
  const rows = deals.map((deal, index) => {
    const wrong = (column: string) => corrections.find((one) => one.row === index + 1 && one.column === column)?.wrong;
    const amount = index % 2 === 0 ? `"$${deal.dollars.toLocaleString('en-US')}.00"` : String(deal.dollars);
    return [
      `OPP-${index + 1}`,
      `Deal ${index + 1}`,
      wrong('Booking amount') ?? amount,
      'Closed Won',
      wrong('Close date') ?? usDay(deal),
      (sellers[deal.seller] as Seller).email,
    ].join(',');
  });
  return ['Opportunity ID,Opportunity name,Booking amount,Stage,Close date,Owner e-mail', ...rows].join('\n');
}

/** What a seller sold in a month, in dollars. */
function sold(seller: number, month: number): number {
  return deals
    .filter((deal) => deal.seller === seller && deal.month === month)
    .reduce((sum, { dollars }) => sum + dollars, 0);
}

export const quota = 300_000;

/**
 * The commission of October in dollars by seller: 9 % of the quarter, which has begun with the month, up to the quota,
 * 12 % above it, and 15 % above 125 % of it. Amounts are whole hundreds, so that nothing is rounded.
 */
export function octoberCommission(): readonly number[] {
  const part = (amount: number, from: number, to: number) => Math.max(0, Math.min(amount, to) - from);
  return sellers.map((_, index) => {
    const amount = sold(index, 10);
    const [base, above, club] = [part(amount, 0, quota), part(amount, quota, 375_000), part(amount, 375_000, Infinity)];
    return (base * 9 + above * 12 + club * 15) / 100;
  });
}
