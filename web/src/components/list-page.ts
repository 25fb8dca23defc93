import { useState } from 'react';

/** The page of a list, which is the first one again when something else is listed. */
export function useListPage(listed: unknown): readonly [page: number, change: (page: number) => void] {
  const key = JSON.stringify(listed);
  const [state, setState] = useState({ key, page: 0 });
  return [state.key === key ? state.page : 0, (page) => setState({ key, page })];
}
