<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CharactersPage</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatPanel</name>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation>
            <numerusform>%n message</numerusform>
            <numerusform>%n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Imports</name>
    <message numerus="yes">
        <source>%n character(s) imported.</source>
        <translation>
            <numerusform>%n character imported.</numerusform>
            <numerusform>%n characters imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>IndexBox</name>
    <message numerus="yes">
        <source>The index works: %n vector(s)</source>
        <translation>
            <numerusform>The index works: %n vector</numerusform>
            <numerusform>The index works: %n vectors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>KeptParts</name>
    <message numerus="yes">
        <source>Lorebook with %n entry(s)</source>
        <translation>
            <numerusform>Lorebook with %n entry</numerusform>
            <numerusform>Lorebook with %n entries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryCarrier</name>
    <message numerus="yes">
        <source>Exported %n memory(s): {file}</source>
        <translation>
            <numerusform>Exported %n memory: {file}</numerusform>
            <numerusform>Exported %n memories: {file}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Imported %n memory chunk(s).</source>
        <translation>
            <numerusform>Imported %n memory chunk.</numerusform>
            <numerusform>Imported %n memory chunks.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryImportDialog</name>
    <message numerus="yes">
        <source>%n already here</source>
        <translation>
            <numerusform>%n already here</numerusform>
            <numerusform>%n already here</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bring a vector that fits; the others are embedded in the background.</source>
        <translation>
            <numerusform>%n brings a vector that fits; the others are embedded in the background.</numerusform>
            <numerusform>%n bring a vector that fits; the others are embedded in the background.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s) will be added: {when}</source>
        <translation>
            <numerusform>%n memory will be added: {when}</numerusform>
            <numerusform>%n memories will be added: {when}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n too long</source>
        <translation>
            <numerusform>%n too long</numerusform>
            <numerusform>%n too long</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n will be skipped: {why}</source>
        <translation>
            <numerusform>%n will be skipped: {why}</numerusform>
            <numerusform>%n will be skipped: {why}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without text</source>
        <translation>
            <numerusform>%n without text</numerusform>
            <numerusform>%n without text</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PersonasDialog</name>
    <message numerus="yes">
        <source>%n persona(s) written.</source>
        <translation>
            <numerusform>%n persona written.</numerusform>
            <numerusform>%n personas written.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation>
            <numerusform>%n message</numerusform>
            <numerusform>%n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message numerus="yes">
        <source>%n waiting for vector</source>
        <translation>
            <numerusform>%n waiting for vector</numerusform>
            <numerusform>%n waiting for vector</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without a vector</source>
        <translation>
            <numerusform>%n without a vector</numerusform>
            <numerusform>%n without a vector</numerusform>
        </translation>
    </message>
</context>
</TS>
