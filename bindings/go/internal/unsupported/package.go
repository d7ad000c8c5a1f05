package main

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A declaration is a function, a type, or a group of constants or variables, of a file that imports "C".
type declaration struct {
	node      ast.Decl
	text      []byte // source of its file
	objects   []types.Object
	receiver  types.Object // type of a method
	dependent bool         // needs C, itself or through an unexported declaration
	used      bool         // belongs into the output
}

// A source is the package as the compiler sees it, with its declarations in the order of the files.
type source struct {
	files        *token.FileSet
	info         *types.Info
	imported     map[string]string // path by name, over all files
	declarations []*declaration
	dependent    map[types.Object]bool // unexported objects that need C, fields of structs too
	wanted       map[types.Object]bool // what the output and the files without C name
}

// load parses the files of the package that belong to a Linux build with cgo.
func load(folder string) (*source, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{
		files:     token.NewFileSet(),
		info:      &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		imported:  map[string]string{},
		dependent: map[types.Object]bool{},
		wanted:    map[types.Object]bool{},
	}
	var parsed []*ast.File
	texts := map[*ast.File][]byte{}
	for _, from := range paths {
		if name := filepath.Base(from); strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "unsupported") {
			continue
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.files, from, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
		texts[file] = text
	}
	// Types of C are unknown here, and expressions of them are of no type: such errors are expected.
	config := types.Config{FakeImportC: true, Importer: importer.ForCompiler(s.files, "source", nil), Error: func(error) {}}
	_, _ = config.Check("gputide", s.files, parsed, s.info)
	for _, file := range parsed {
		if importsC(file) {
			s.add(file, texts[file])
		} else {
			s.uses(file, s.want)
		}
	}
	return s, nil
}

func importsC(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

func (s *source) add(file *ast.File, text []byte) {
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		s.imported[path.Base(name)] = name
	}
	for _, node := range file.Decls {
		d := &declaration{node: node, text: text}
		switch n := node.(type) {
		case *ast.FuncDecl:
			d.objects = append(d.objects, s.info.Defs[n.Name])
			if n.Recv != nil {
				ast.Inspect(n.Recv.List[0].Type, func(inside ast.Node) bool {
					if name, ok := inside.(*ast.Ident); ok && d.receiver == nil {
						d.receiver = s.info.Uses[name]
					}
					return true
				})
			}
		case *ast.GenDecl:
			if n.Tok == token.IMPORT {
				continue
			}
			for _, spec := range n.Specs {
				switch named := spec.(type) {
				case *ast.TypeSpec:
					d.objects = append(d.objects, s.info.Defs[named.Name])
				case *ast.ValueSpec:
					for _, name := range named.Names {
						d.objects = append(d.objects, s.info.Defs[name])
					}
				}
			}
		}
		s.declarations = append(s.declarations, d)
	}
}

// structOf returns the struct type that is declared, else nil.
func (d *declaration) structOf() *ast.StructType {
	group, ok := d.node.(*ast.GenDecl)
	if !ok || group.Tok != token.TYPE || len(group.Specs) != 1 {
		return nil
	}
	of, _ := group.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	return of
}

func (d *declaration) function() *ast.FuncDecl {
	of, _ := d.node.(*ast.FuncDecl)
	return of
}

func (d *declaration) exported() bool {
	for _, object := range d.objects {
		if object.Exported() {
			return true
		}
	}
	return false
}

// uses calls visit with each object that the source below a node names; of a generic one its declaration.
func (s *source) uses(node ast.Node, visit func(types.Object)) {
	ast.Inspect(node, func(inside ast.Node) bool {
		name, ok := inside.(*ast.Ident)
		if !ok {
			return true
		}
		switch object := s.info.Uses[name].(type) {
		case nil:
		case *types.Func:
			visit(object.Origin())
		case *types.Var:
			visit(object.Origin())
		default:
			visit(object)
		}
		return true
	})
}

func (s *source) needsC(node ast.Node) bool {
	found := false
	s.uses(node, func(object types.Object) {
		name, isImport := object.(*types.PkgName)
		found = found || s.dependent[object] || isImport && name.Imported().Path() == "C"
	})
	return found
}

// findCDependent marks what needs C, itself or through an unexported declaration. A struct stays, without the fields that need C. An
// exported function that needs C does not make its callers dependent: it is there in every build.
func (s *source) findCDependent() {
	for again := true; again; {
		again = false
		for _, d := range s.declarations {
			if of := d.structOf(); of != nil {
				again = s.findDependentFields(of) || again
				continue
			}
			if d.dependent || !s.needsC(d.node) {
				continue
			}
			d.dependent, again = true, true
			for _, object := range d.objects {
				if d.function() == nil || !object.Exported() {
					s.dependent[object] = true
				}
			}
		}
	}
}

func (s *source) findDependentFields(of *ast.StructType) (found bool) {
	for _, field := range of.Fields.List {
		for _, name := range field.Names {
			object := s.info.Defs[name]
			if !name.IsExported() && !s.dependent[object] && s.needsC(field.Type) {
				s.dependent[object], found = true, true
			}
		}
	}
	return found
}

// findUsed marks what is exported, and what that needs.
func (s *source) findUsed() {
	for again := true; again; {
		again = false
		for _, d := range s.declarations {
			if d.used || d.dependent && !d.exported() || !s.isWanted(d) {
				continue
			}
			d.used, again = true, true
			var part ast.Node = d.node
			if d.dependent {
				part = d.function().Type // its body is replaced
			}
			s.uses(part, s.want)
		}
	}
	for _, d := range s.declarations {
		if of := d.structOf(); of != nil && d.used {
			s.cutFields(d, of)
		}
	}
}

func (s *source) want(object types.Object) { s.wanted[object] = true }

// isWanted says whether a declaration is exported or named by the output. Exported methods of an unexported type come with their type.
func (s *source) isWanted(d *declaration) bool {
	if d.receiver != nil && !d.receiver.Exported() && !s.wanted[d.receiver] {
		return false
	}
	if d.exported() {
		return true
	}
	for _, object := range d.objects {
		if s.wanted[object] {
			return true
		}
	}
	return false
}

// cutFields drops the unexported fields of a struct that nothing in the output reads or writes.
func (s *source) cutFields(d *declaration, of *ast.StructType) {
	d.text = bytes.Clone(d.text)
	for _, field := range of.Fields.List {
		if len(field.Names) == 0 {
			continue
		}
		keep := false
		for _, name := range field.Names {
			object := s.info.Defs[name]
			keep = keep || name.IsExported() || s.wanted[object] && !s.dependent[object]
		}
		if keep {
			continue
		}
		from, to := field.Pos(), field.End()
		if field.Doc != nil {
			from = field.Doc.Pos()
		}
		if field.Comment != nil {
			to = field.Comment.End()
		}
		cut := d.text[s.offset(from):s.offset(to)]
		copy(cut, bytes.Repeat([]byte(" "), len(cut)))
	}
}

func (s *source) offset(of token.Pos) int { return s.files.Position(of).Offset }
