/** A moment as the API tells it. */
export function moment(date: Date | undefined): number | undefined {
  return date?.getTime();
}

export function moments(dates: readonly Date[]): number[] {
  return dates.map((date) => date.getTime());
}
