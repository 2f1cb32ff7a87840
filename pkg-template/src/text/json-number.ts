// A number of JSON, character by character.

/** The part of a number that was read last. */
export const enum Part {
  Start,
  Sign,
  Zero,
  Whole,
  Fraction,
  Exponent,
  ExponentDigits,
  Wrong,
}

export const isDigit = (char: string): boolean => char >= "0" && char <= "9";

/** Returns the part of a number that one more character leads to; undefined when the number is over. */
export function partAfter(part: Part, char: string): Part | undefined {
  if (isDigit(char)) {
    if (part === Part.Zero) return Part.Wrong;
    if (part === Part.Start || part === Part.Sign) return char === "0" ? Part.Zero : Part.Whole;
    return part === Part.Exponent ? Part.ExponentDigits : part;
  }
  if (char === "-" && part === Part.Start) return Part.Sign;
  if (char === "." && part < Part.Fraction) return Part.Fraction;
  if ((char === "e" || char === "E") && part < Part.Exponent) return Part.Exponent;
  if ((char === "+" || char === "-") && part === Part.Exponent) return Part.ExponentDigits;
  return undefined;
}

export const numberOf = (text: string): number => (text === "-" ? -0 : Number.parseFloat(text));
