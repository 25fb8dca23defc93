import blocks from './Blocks.module.css';

interface FiltersProps {
  readonly onSubmit: () => void;
  readonly children: React.ReactNode;
}

/** The filters above a list. `Enter` in a field applies what was typed. */
export function Filters({ onSubmit, children }: FiltersProps) {
  return (
    <form
      className={blocks.filters}
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
