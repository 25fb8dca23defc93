/** Takes the place of rows of a table that are not displayed. */
export function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
