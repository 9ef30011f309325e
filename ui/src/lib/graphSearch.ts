// Search in the graph that is drawn: which cards have a text in their name, or in the name of what they show.
export interface Named {
  id: string;
  title: string;
  place: string;
  fields: readonly { name: string }[];
}

/** Ids in the order of the graph: names that begin with the text first, then those that have it, then cards with such a field. */
export function cardsNamed(cards: readonly Named[], text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const rank = ({ title, place, fields }: Named): number => {
    const name = title.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    if (fields.some((field) => field.name.toLowerCase().includes(wanted))) return 2;
    return place.toLowerCase().includes(wanted) ? 3 : 4;
  };
  return cards
    .map((card) => ({ id: card.id, rank: rank(card) }))
    .filter(({ rank }) => rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map(({ id }) => id);
}
