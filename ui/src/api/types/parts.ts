// Types made of the generated shapes of answers.

/** Of a shape at least these keys: functions of the pages take what they need, and their tests give no more. */
export type AtLeast<Shape, Keys extends keyof Shape> = Pick<Shape, Keys> & Partial<Omit<Shape, Keys>>;

/** One of two shapes, whose keys can be asked for without asking first which it is. */
export type Either<One, Other> =
  | (One & { [Key in Exclude<keyof Other, keyof One>]?: undefined })
  | (Other & { [Key in Exclude<keyof One, keyof Other>]?: undefined });
