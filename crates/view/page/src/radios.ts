// Groups of radio buttons: real ones, so that arrow keys and screen readers work as everywhere.

export interface Choice {
  value: string;
  text: string;
  disabled?: boolean;
}

export function radios(
  legend: string,
  name: string,
  choices: Choice[],
  chosen: string,
  choose: (value: string) => void,
): HTMLFieldSetElement {
  const group = document.createElement("fieldset");
  group.className = "choice";
  const title = document.createElement("legend");
  title.textContent = legend;
  group.append(title);
  const row = document.createElement("div");
  row.className = "segments";
  for (const choice of choices) row.append(radio(name, choice, choice.value === chosen, choose));
  group.append(row);
  return group;
}

function radio(
  name: string,
  choice: Choice,
  checked: boolean,
  choose: (value: string) => void,
): HTMLLabelElement {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "radio";
  input.name = name;
  input.value = choice.value;
  input.checked = checked;
  input.disabled = choice.disabled ?? false;
  input.addEventListener("change", () => choose(choice.value));
  const text = document.createElement("span");
  text.textContent = choice.text;
  label.append(input, text);
  return label;
}
